/// Which events the presses of a button become, besides downs and ups.
@nonexhaustive
public enum FLICButtonTriggerMode: Int, Sendable {
    /// Click and hold. A press of at most 1 s is a click on release; else there is a hold 1 s after the press. The default.
    case clickAndHold
    /// Click and double click. Two presses at most 0.5 s apart are a double click on the second release. A click is told on release if the
    /// button was down for more than 0.5 s, else 0.5 s after the press.
    case clickAndDoubleClick
    /// Click, double click and hold. As `clickAndDoubleClick`, and a press of more than 1 s is a hold. Three fast clicks are a double
    /// click and a click, four are two double clicks.
    case clickAndDoubleClickAndHold
    /// Click only, told as soon as the button goes down.
    case click
}
