package import FlicClient
package import FoundationEssentials

/// What rules are asked about: something that was done with a button.
package struct RuleSubject: Sendable {
    package var kind: PressEvent.Kind
    /// Which button of a Flic Duo: 0 is the big one, 1 the small one; 0 for others.
    package var buttonNumber = 0
    package var isQueued: Bool
    /// Seconds between the event and the moment the button was ready.
    package var age: Int
    /// Which button it is; nil for one that is made up.
    package var button: UUID?
    /// How people may call the button, in lower case; nil for a button that is all that a rule may ask for.
    package var names: Set<String>?

    /// For a dry run.
    package init(kind: PressEvent.Kind, buttonNumber: Int = 0, isQueued: Bool = false, age: Int = 0, names: Set<String>? = nil) {
        self.kind = kind
        self.buttonNumber = buttonNumber
        self.isQueued = isQueued
        self.age = age
        self.names = names
    }

    package init(_ press: PressEvent, of info: ButtonInfo) {
        kind = press.kind
        buttonNumber = press.buttonNumber
        isQueued = press.isQueued
        age = press.age
        button = info.identifier
        names = Set(ButtonChoice.names(of: info))
    }
}
