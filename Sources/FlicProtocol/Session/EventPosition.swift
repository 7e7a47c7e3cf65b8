/// Up to where the events of a button have been processed (protocol 7.3).
package struct EventPosition: Hashable, Sendable {
    /// Changes with every reboot of the button; 0 if none is known.
    package var bootID: UInt32
    /// Counter of the last event processed; of a Flic Duo, that of the big button.
    package var eventCount: UInt32
    /// The same for the small button of a Flic Duo; 0 for others.
    package var smallEventCount: UInt32

    package init(bootID: UInt32 = 0, eventCount: UInt32 = 0, smallEventCount: UInt32 = 0) {
        self.bootID = bootID
        self.eventCount = eventCount
        self.smallEventCount = smallEventCount
    }

    /// Number of downs since the button booted (contract B46); of a Flic Duo, those of both buttons.
    package var pressCount: UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(eventCount) + 3) / 4 + (UInt64(smallEventCount) + 3) / 4)
    }

    /// The counters in the form of a Flic Duo.
    var counts: DuoEventCounts { DuoEventCounts(big: eventCount, small: smallEventCount) }
}
