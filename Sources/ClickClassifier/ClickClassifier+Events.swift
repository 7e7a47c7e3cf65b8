extension ClickClassifier {
    /// Something the classifier tells, and when it happened.
    public struct Event: Sendable, Hashable, CustomStringConvertible {
        /// What happened.
        public enum Kind: Sendable, Hashable, CaseIterable {
            /// The button went down.
            case down
            /// The button was released.
            case up
            /// A press that is not a hold and belongs to no double or triple click.
            case click
            /// Two presses in quick succession.
            case doubleClick
            /// Three presses in quick succession; only with ``ClickClassifier/Limits/tripleClick``.
            case tripleClick
            /// The button has been down for the hold time, and still is.
            case hold
        }

        /// What happened.
        public let kind: Kind

        /// When, in ticks of the button's clock (48 bits): the time of the edge, or the time at which a limit was reached.
        public let time: UInt64

        /// An event at a time in ticks.
        public init(_ kind: Kind, at time: UInt64) {
            self.kind = kind
            self.time = time
        }

        /// For logs: `click at 17384`.
        public var description: String { "\(kind) at \(time)" }
    }

    /// The events of one call, in the order in which they are to be delivered: never more than four, and kept without heap memory.
    public struct Events: Sendable, RandomAccessCollection {
        // The longest answer: the third down of a triple click after the mode has become `click`, and a click for each of the three presses.
        private var storage = InlineArray<4, Event>(repeating: Event(.down, at: 0))

        /// The position of the first event.
        public var startIndex: Int { 0 }

        /// The position after the last event.
        public private(set) var endIndex = 0

        /// The event at a position.
        public subscript(position: Int) -> Event {
            precondition(position < endIndex, "There are only \(endIndex) events.")
            return storage[position]
        }

        mutating func append(_ kind: Event.Kind, at time: UInt64) {
            storage[endIndex] = Event(kind, at: time)
            endIndex += 1
        }
    }
}
