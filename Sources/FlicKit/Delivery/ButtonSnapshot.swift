import ClickClassifier
import FlicClient

/// A button at one moment, taken on the loop.
struct ButtonSnapshot: Sendable {
    let button: FlicButton
    let info: ButtonInfo
    let triggerMode: FLICButtonTriggerMode

    init(_ button: FlicButton, in flic: isolated Flic) {
        self.button = button
        info = button.info
        triggerMode = flic.clickRules(of: button.identifier).map { FLICButtonTriggerMode($0.mode) } ?? .clickAndHold
    }
}

extension FLICButtonTriggerMode {
    fileprivate init(_ mode: TriggerMode) {
        self =
            switch mode {
            case .clickAndHold: .clickAndHold
            case .clickAndDoubleClick: .clickAndDoubleClick
            case .clickAndDoubleClickAndHold: .clickAndDoubleClickAndHold
            case .click: .click
            }
    }

    /// The rules that go with the mode: the button's own decisions (contract B.6.6).
    var rules: ClickRules {
        switch self {
        case .clickAndHold: .standard(.clickAndHold)
        case .clickAndDoubleClick: .standard(.clickAndDoubleClick)
        case .clickAndDoubleClickAndHold: .standard(.clickAndDoubleClickAndHold)
        case .click: .standard(.click)
        }
    }
}
