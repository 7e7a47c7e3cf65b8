/// Up to where the events of a button have been processed (protocol 7.3).
package struct EventPosition: Hashable, Sendable {
    /// Changes with every reboot of the button; 0 if none is known.
    package var bootID: UInt32
    /// Counter of the last event processed.
    package var eventCount: UInt32

    package init(bootID: UInt32 = 0, eventCount: UInt32 = 0) {
        self.bootID = bootID
        self.eventCount = eventCount
    }

    /// Number of downs since the button booted (contract B46).
    package var pressCount: UInt32 { UInt32((UInt64(eventCount) + 3) / 4) }
}
