/// How a firmware update goes. See ``FlicButton/updateFirmware(with:patience:)``.
public enum FirmwareUpdate: Hashable, Sendable {
    /// The button is not ready. The update goes on, where the button says, as soon as it is.
    case waiting
    /// The button has told that it has so many of all bytes.
    case transferring(acknowledged: Int, total: Int)
    /// The button has all of it, has checked the signature, and restarts.
    case restarting
    /// The button is back. Nothing follows.
    ///
    /// Versions are plain numbers that grow (protocol 9.3). Both are the same if the image was of the version that ran already.
    case finished(old: UInt32, new: UInt32)
}
