package import FlicClient

/// Keeps track of the buttons that are paired with this program, finds new ones, and restores them at each start.
///
/// ```swift
/// import FlicKit
///
/// final class Doorbell: NSObject, FLICManagerDelegate, FLICButtonDelegate { … }
///
/// let doorbell = Doorbell()
/// FLICManager.configure(with: doorbell, buttonDelegate: doorbell, background: true)
/// dispatchMain()
/// ```
///
/// All calls of delegates and handlers come on the main queue, asynchronously. Unlike on iOS, a program has to keep it going itself: with
/// `dispatchMain()`, with `RunLoop.main.run()`, or with an `async` main function that awaits something. (With `dispatchMain()` the main queue
/// runs on a thread of its own choice: `Thread.isMainThread` is false there, while `MainActor.assumeIsolated` holds.)
///
/// All members may be used from any thread, and none of them blocks.
open class FLICManager: NSObject, @unchecked Sendable {
    /// What a program is shown.
    struct Shown {
        weak var delegate: (any FLICManagerDelegate)?
        weak var buttonDelegate: (any FLICButtonDelegate)?
        var state = FLICManagerState.unknown
        /// In the order of pairing.
        var buttons: [FLICButton] = []
        var scan: Scan?
        /// Calls that wait for the restore, which comes before all others (contract B38); nil once it is over.
        var heldCalls: [@Sendable () -> Void]? = []
    }

    /// nil for a manager that has not been configured.
    let wire: Wire?
    let shown = Locked(Shown())
    /// Whether the program means to go on in the background. On Linux it runs or it does not; nothing depends on it.
    let background: Bool

    private static let singleton = Locked<FLICManager?>(nil)

    /// Makes a manager that manages nothing: its state stays `unknown`, and what is asked of it fails with ``FLICError/notConfigured``.
    /// Use ``configure(with:buttonDelegate:background:)``.
    public override init() {
        wire = nil
        background = false
    }

    /// - Parameter queue: A serial queue on which delegates and handlers are called.
    package init(
        flic: Flic,
        delegate: (any FLICManagerDelegate)?,
        buttonDelegate: (any FLICButtonDelegate)?,
        background: Bool,
        queue: DispatchQueue
    ) {
        wire = Wire(flic: flic, queue: queue)
        self.background = background
        super.init()
        self.delegate = delegate
        self.buttonDelegate = buttonDelegate
    }

    // MARK: The singleton

    /// The manager, once it has been configured; nil before.
    @discardableResult
    open class func shared() -> Self? { singleton.withLock { $0 } as? Self }

    /// Makes the manager, with the options of ``FLICOptions/standard``. Call it as soon as the program starts, so that no press is delayed.
    ///
    /// Calling it again returns the same manager and changes nothing, not even the delegates. It never fails: where there is no
    /// Bluetooth, or no place to store buttons, the manager's state says so.
    ///
    /// - Parameters:
    ///   - delegate: Hears of the manager. Held weakly.
    ///   - buttonDelegate: Becomes the delegate of all buttons. Held weakly.
    ///   - background: Has no effect on Linux, where a program runs or does not.
    @discardableResult
    open class func configure(
        with delegate: (any FLICManagerDelegate)?,
        buttonDelegate: (any FLICButtonDelegate)?,
        background: Bool
    ) -> Self? {
        configure(with: delegate, buttonDelegate: buttonDelegate, background: background, options: .standard)
    }

    /// Makes the manager, with options that only Linux has.
    @discardableResult
    open class func configure(
        with delegate: (any FLICManagerDelegate)?,
        buttonDelegate: (any FLICButtonDelegate)?,
        background: Bool,
        options: FLICOptions
    ) -> Self? {
        singleton.withLock { singleton in
            if singleton == nil {
                singleton = FLICManager(
                    flic: options.makeFlic(),
                    delegate: delegate,
                    buttonDelegate: buttonDelegate,
                    background: background,
                    queue: .main
                )
                singleton?.start()
            }
            return singleton as? Self
        }
    }

    // MARK: Delegates and state

    /// Hears of the manager. The object that is the delegate at the time of an event gets it. Held weakly.
    open var delegate: (any FLICManagerDelegate)? {
        get { shown.withLock { $0.delegate } }
        set { shown.withLock { $0.delegate = newValue } }
    }

    /// Becomes the delegate of all buttons: of restored ones before ``FLICManagerDelegate/managerDidRestoreState(_:)``, of new ones before
    /// the completion of the scan. Held weakly.
    ///
    /// Setting it later makes it the delegate of those buttons that have none, and of future ones.
    open var buttonDelegate: (any FLICButtonDelegate)? {
        get { shown.withLock { $0.buttonDelegate } }
        set {
            let buttons = shown.withLock { shown in
                shown.buttonDelegate = newValue
                return shown.buttons
            }
            for button in buttons where button.delegate == nil { button.delegate = newValue }
        }
    }

    /// Whether Bluetooth can be used; `unknown` until it has answered.
    open var state: FLICManagerState { shown.withLock { $0.state } }

    /// All buttons that are paired with this program, in the order of pairing; unpaired ones included, until they are forgotten. Empty
    /// before ``FLICManagerDelegate/managerDidRestoreState(_:)``.
    @discardableResult
    open func buttons() -> [FLICButton] { shown.withLock { $0.buttons } }

    // MARK: Forgetting

    /// Forgets a button: ends its connection and deletes its pairing, here. The button keeps its side of the pairing until it needs the
    /// room; a new scan pairs it anew.
    ///
    /// - Parameters:
    ///   - button: One of ``buttons()``.
    ///   - completion: Called once, on the main queue, with the button's identifier. The button is not among ``buttons()`` any
    ///     more, and its delegate is not called after this. Errors: `alreadyForgotten`; `unknown` if the store could not be written, and
    ///     then the button stays.
    @preconcurrency
    open func forgetButton(_ button: FLICButton, completion: @escaping @Sendable (UUID, (any Error)?) -> Void) {
        forget(button, completion)
    }

    /// Forgets a button, as ``forgetButton(_:completion:)``.
    ///
    /// - Returns: The button's identifier.
    @discardableResult
    open func forgetButton(_ button: FLICButton) async throws -> UUID {
        try await withCheckedThrowingContinuation { continuation in
            forget(button) { uuid, error in
                continuation.resume(with: error.map(Result.failure) ?? .success(uuid))
            }
        }
    }

    // MARK: Scanning

    /// Whether a scan is running: true from the call that starts it until its completion, in which it is false.
    open var isScanning: Bool { shown.withLock { $0.scan != nil } }

    /// Looks for a button in pairing mode (held down for seven seconds), connects it and pairs with it. The button will be kept connected.
    ///
    /// - Parameters:
    ///   - stateChangeHandler: Hears the steps, on the main queue.
    ///   - completion: Called once, on the main queue, with the button, or with an error of ``FLICButtonScannerErrorDomain``; or of
    ///     ``FLICErrorDomain``, `unsupportedOSVersion`, if the system's Bluetooth is too old.
    @preconcurrency
    open func scanForButtons(
        stateChangeHandler: @escaping (FLICButtonScannerStatusEvent) -> Void,
        completion: @escaping @Sendable (FLICButton?, (any Error)?) -> Void
    ) {
        scan(Scan(handler: stateChangeHandler, completion: completion))
    }

    /// Looks for a button and pairs with it, as ``scanForButtons(stateChangeHandler:completion:)``.
    @discardableResult
    open func scanForButtons(stateChangeHandler: @escaping (FLICButtonScannerStatusEvent) -> Void) async throws -> FLICButton {
        try await withCheckedThrowingContinuation { continuation in
            scan(
                Scan(handler: stateChangeHandler) { button, error in
                    continuation.resume(with: button.map(Result.success) ?? .failure(error ?? NSError(FLICButtonScannerErrorCode.unknown)))
                }
            )
        }
    }

    /// Ends the scan, whose completion gets `userCanceled`. Without a scan, nothing happens.
    open func stopScan() {
        shown.withLock { shown in
            guard shown.scan != nil else { return }
            // Under the lock: the loop hears of this before it hears of any later scan (contract B36).
            wire?.call { $0.endPairing(FlicError(.cancelled)) }
        }
    }
}
