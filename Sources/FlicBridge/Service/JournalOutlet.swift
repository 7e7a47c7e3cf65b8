package import EventLoops
import FlicClient
import FoundationEssentials
package import Logs

/// Tells the log of the system what happens: to the journal with fields, where standard error leads there, else as lines.
///
/// Connections, batteries that become low, and the state of Bluetooth are told at the level `notice` or above, presses at `debug`.
///
/// It is an actor on the loop of the bridge.
package actor JournalOutlet {
    /// Where the journal listens (systemd-journald.service(8)).
    package static let journal = "/run/systemd/journal/socket"

    private let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let identifier: String
    private let journal: DatagramAddress?
    private let shows: @Sendable (LogLevel, LogArea) -> Bool
    private let log: @Sendable (LogLevel, String) -> Void
    private var isLow: [UUID: Bool] = [:]

    /// - Parameters:
    ///   - identifier: Name of the program.
    ///   - journal: The path of the journal's socket; nil writes lines only.
    ///   - shows: Whether a level is to be told.
    ///   - log: Takes lines.
    package init(
        loop: any EventLoop,
        identifier: String,
        journal: String?,
        shows: @escaping @Sendable (LogLevel, LogArea) -> Bool,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.loop = loop
        self.identifier = identifier
        self.journal = journal.flatMap(DatagramAddress.init)
        self.shows = shows
        self.log = log
    }

    /// An outlet of the bridge: called on the loop.
    package nonisolated func hear(_ notice: BridgeNotice) { assumeIsolated { $0.receive(notice) } }

    private func receive(_ notice: BridgeNotice) {
        switch notice {
        case .added(let info): isLow[info.identifier] = info.battery?.isLow ?? false
        case .removed(let info):
            isLow[info.identifier] = nil
            write(JournalEntry(removed: info))
        case .bluetooth(let state): write(JournalEntry(state))
        case .button(.battery(let battery), let info):
            guard let wasLow = isLow[info.identifier], wasLow != battery.isLow else { return }
            isLow[info.identifier] = battery.isLow
            write(JournalEntry(battery, of: info))
        case .button(let notice, let info):
            if let entry = JournalEntry(notice, info) { write(entry) }
        case .changed: break
        }
    }

    private func write(_ entry: JournalEntry) {
        let area = entry.event == "bluetooth" ? LogArea.bluez : .session
        guard shows(entry.level, area) else { return }
        // A journal that has no room, or is not there, is no reason to say nothing.
        if let journal, journal.send(entry.datagram(identifier: identifier)) == 0 { return }
        log(entry.level, area.remark(entry.message))
    }
}
