package import FlicClient

extension Configuration {
    /// What is to be done when something was done with a button. All that is said of it must be so.
    package struct Rule: Sendable, Equatable {
        /// For people, and for logs; unique among the rules.
        package var name: String
        /// Name, serial number, uuid or identifier of each button that is meant; empty for all buttons.
        package var buttons: [String]
        /// What was done; not empty.
        package var events: Set<PressEvent.Kind>
        /// Only this button of a Flic Duo: 0 is the big one, 1 the small one; nil for both.
        package var buttonNumber: Int?
        /// Only presses from before the button was ready, or only others; nil for both.
        package var queued: Bool?
        /// Only if it was done this long ago at most; nil for any time.
        package var maxAge: Duration?
        /// Not again, for the same button, before this time is over; nil for always again.
        package var minInterval: Duration?
        /// A program to be run. A rule has this or a ``webhook`` or both.
        package var exec: Exec?
        package var webhook: Webhook?

        package init(
            name: String,
            buttons: [String] = [],
            events: Set<PressEvent.Kind> = [.click],
            buttonNumber: Int? = nil,
            queued: Bool? = nil,
            maxAge: Duration? = nil,
            minInterval: Duration? = nil,
            exec: Exec? = nil,
            webhook: Webhook? = nil
        ) {
            self.name = name
            self.buttons = buttons
            self.events = events
            self.buttonNumber = buttonNumber
            self.queued = queued
            self.maxAge = maxAge
            self.minInterval = minInterval
            self.exec = exec
            self.webhook = webhook
        }
    }

    /// A program to be run.
    package struct Exec: Sendable, Equatable {
        /// What becomes of a rule that fires while its program still runs.
        package enum Concurrency: String, Sendable, CaseIterable {
            /// It is left out.
            case skip
            /// It waits for its turn; up to a bound.
            case queue
            /// The running program is ended first.
            case restart
        }

        /// The program, an absolute path, and its arguments. No shell comes between.
        package var command: [String]
        /// It is ended if it still runs after this time.
        package var timeout: Duration
        package var concurrency: Concurrency
        /// Variables beside those of the event.
        package var environment: [String: String]

        package init(command: [String], timeout: Duration = .seconds(10), concurrency: Concurrency = .skip, environment: [String: String] = [:]) {
            self.command = command
            self.timeout = timeout
            self.concurrency = concurrency
            self.environment = environment
        }
    }
}
