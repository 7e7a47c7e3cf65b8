/// The first byte of every GATT value (protocol 3).
package struct FrameHeader: Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter connectionID: 1 to 31, or 0 for none.
    package init(connectionID: UInt8, isNewlyAssigned: Bool = false, hasMore: Bool = false) {
        rawValue = connectionID & 0x1F | (isNewlyAssigned ? 0x20 : 0) | (hasMore ? 0x80 : 0)
    }

    package var connectionID: UInt8 { rawValue & 0x1F }
    /// From the button only: the packet is the answer that gives the id.
    package var isNewlyAssigned: Bool { rawValue & 0x20 != 0 }
    /// The packet goes on in the next frame with this id.
    package var hasMore: Bool { rawValue & 0x80 != 0 }

    /// Whether a client with the id `mine` (0: none yet) may look at the frame.
    package func concernsClient(_ mine: UInt8) -> Bool {
        if isNewlyAssigned { return mine == 0 }
        return connectionID == 0 || connectionID == mine
    }
}
