import ClickClassifier
import FlicClient

/// A button at one moment, taken on the loop.
struct ButtonSnapshot: Sendable {
    let button: FlicButton
    let info: ButtonInfo

    init(_ button: FlicButton) {
        self.button = button
        info = button.info
    }
}

extension FLICButtonTriggerMode {
    init(_ mode: TriggerMode) {
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

extension FLICLatencyMode {
    init(_ mode: LatencyMode) {
        self =
            switch mode {
            case .normal: .normal
            case .low: .low
            }
    }
}
