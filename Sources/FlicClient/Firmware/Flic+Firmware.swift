import EventLoops
public import FlicProtocol
import FoundationEssentials
import Logs

/// Tells one reader how a firmware update goes. A reader that is left alone is told that the update was cancelled: an update does not outlive the ``Flic``.
final class FirmwareFeed: Sendable {
    private let continuation: AsyncThrowingStream<FirmwareUpdate, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<FirmwareUpdate, any Error>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish(throwing: FlicError(.cancelled)) }

    func tell(_ update: FirmwareUpdate) { continuation.yield(update) }

    func finish(throwing error: (any Error)?) { continuation.finish(throwing: error) }
}

extension FlicButton {
    /// Updates the button's firmware.
    ///
    /// ```swift
    /// for try await update in button.updateFirmware(with: try FirmwareImage(bytes)) {
    ///     if case .transferring(let acknowledged, let total) = update { print("\(acknowledged) of \(total)") }
    /// }
    /// ```
    ///
    /// Presses are told meanwhile as always. A lost link does not end the update: it goes on, where the button says, when the button is ready again. At the
    /// end the button restarts with a new boot, and the update is over when it is back and has told its version. The sequence ends after
    /// ``FirmwareUpdate/finished(old:new:)``. Ending the task that reads it, or dropping it, gives the update up; the button then keeps what it has got,
    /// and the next update with the same image goes on from there.
    ///
    /// - Parameters:
    ///   - image: For the kind of device that the button is (``FlicProduct/image``); the button checks its signature.
    ///   - patience: How long nothing may come forward, the time included during which the button is out of reach; at least a second.
    /// - Returns: One sequence, for one reader. It throws ``FirmwareError``, or ``FlicError`` if the button is not paired any more, was forgotten, cannot be
    ///   connected for good, or `cancelled` if the ``Flic`` has ended.
    public func updateFirmware(with image: FirmwareImage, patience: Duration = .seconds(120)) -> AsyncThrowingStream<FirmwareUpdate, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: FirmwareUpdate.self,
            throwing: (any Error).self,
            bufferingPolicy: .bufferingNewest(Feed<FirmwareUpdate>.capacity)
        )
        guard let flic else {
            continuation.finish(throwing: FlicError(.alreadyForgotten))
            return stream
        }
        let feed = FirmwareFeed(continuation)
        continuation.onTermination = { [weak flic, weak feed, identifier] reason in
            guard case .cancelled = reason, let flic, let feed else { return }
            flic.loop.execute { flic.assumeIsolated { $0.endFirmwareUpdate(of: identifier, feed) } }
        }
        flic.loop.execute {
            flic.assumeIsolated { $0.updateFirmware(of: self, with: image, patience: patience, telling: feed) }
        }
        return stream
    }
}

extension Flic {
    fileprivate func updateFirmware(of button: FlicButton, with image: FirmwareImage, patience: Duration, telling feed: FirmwareFeed) {
        let id = button.identifier
        guard phase == .running else { return feed.finish(throwing: FlicError(.cancelled)) }
        guard let entry = entries[id], entry.button === button else { return feed.finish(throwing: FlicError(.alreadyForgotten)) }
        if let refusal = entry.connection.firmwareRefusal(of: image) { return feed.finish(throwing: refusal) }
        entries[id]?.firmware = feed
        let now = loop.now
        update(id) { $0.updateFirmware(image, patience: patience, now: now, into: &$1) }
    }

    fileprivate func endFirmwareUpdate(of id: UUID, _ feed: FirmwareFeed) {
        guard entries[id]?.firmware === feed else { return }
        let now = loop.now
        update(id) { $0.endFirmwareUpdate(FlicError(.cancelled), now: now, into: &$1) }
    }
}
