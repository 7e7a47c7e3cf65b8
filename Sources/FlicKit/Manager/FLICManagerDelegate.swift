/// Hears of the manager. All calls come on the main queue, one after the other.
@preconcurrency
public protocol FLICManagerDelegate: NSObjectProtocol {
    /// The buttons of the last run are there. Called once, before everything else, also where there is no Bluetooth.
    func managerDidRestoreState(_ manager: FLICManager)

    /// The state has changed. Called at least once after the restore, at the latest 10 s after the manager was configured.
    func manager(_ manager: FLICManager, didUpdate state: FLICManagerState)
}
