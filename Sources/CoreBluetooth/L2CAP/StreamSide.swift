import BlueZ
import Foundation

/// What the two streams of a channel have in common: status, error, delegate, and the way of events to the program (contract D105).
///
/// `@unchecked Sendable`: everything is used with the lock held only.
final class StreamSide: @unchecked Sendable {
    /// The lock, and what those wait for who want to read or write.
    private let condition = NSCondition()
    private let closed: @Sendable () -> Void

    private weak var stream: Stream?
    private weak var delegate: (any StreamDelegate)?
    private var status = Stream.Status.notOpen
    private var error: NSError?
    private var schedule: [ScheduledRunLoop] = []
    /// Told one after the other, each once.
    private var events: [Stream.Event] = []
    private var isOnItsWay = false

    /// - Parameter closed: The program has closed the stream; called once.
    init(closed: @escaping @Sendable () -> Void) {
        self.closed = closed
    }

    deinit { for place in schedule { place.end() } }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// The stream whose side this is.
    func belong(to stream: Stream) { withLock { self.stream = stream } }

    // MARK: What streams have

    var currentStatus: Stream.Status { withLock { status } }

    var currentError: NSError? { withLock { error } }

    var isOpen: Bool { withLock { status == .open } }

    var currentDelegate: (any StreamDelegate)? {
        get { withLock { delegate } }
        set { withLock { delegate = newValue } }
    }

    /// - Returns: Whether it was not open before.
    func open() -> Bool {
        withLock {
            guard status == .notOpen else { return false }
            status = .open
            add(.openCompleted)
            return true
        }
    }

    func close() {
        let isFirst = withLock {
            guard status != .closed else { return false }
            status = .closed
            for place in schedule { place.end() }
            schedule = []
            events = []
            condition.broadcast()
            return true
        }
        if isFirst { closed() }
    }

    /// The stream has come to its end, by itself or by an error.
    func end(_ reason: L2CAPError?) {
        withLock {
            guard status == .open else { return }
            status = reason == nil ? .atEnd : .error
            error = reason.map { reason in
                let text = [NSLocalizedDescriptionKey: Self.sentence(reason), NSDebugDescriptionErrorKey: reason.description]
                return NSError(domain: NSPOSIXErrorDomain, code: Int(reason.errorNumber), userInfo: text)
            }
            add(reason == nil ? .endEncountered : .errorOccurred)
            condition.broadcast()
        }
    }

    private static func sentence(_ error: L2CAPError) -> String {
        switch error {
        case .timedOut: "The other device does not answer."
        case .packetTooLong: "The other device does not keep to what was agreed upon."
        case .notSupported, .noFreePSM, .failed: "The connection to the other device was lost."
        }
    }

    // MARK: Waiting

    /// Repeats `attempt`, whenever something has happened, until it has a result.
    ///
    /// - Returns: Nil if the stream is not open, or not any more, or `patience` is over.
    func wait<Result>(patience: Duration? = nil, for attempt: () -> Result?) -> Result? {
        let deadline = patience.map { ContinuousClock.now + $0 }
        return withLock {
            while status == .open {
                if let result = attempt() { return result }
                guard let deadline else {
                    condition.wait()
                    continue
                }
                let rest = ContinuousClock.now.duration(to: deadline) / .seconds(1)
                guard rest > 0 else { return nil }
                _ = condition.wait(until: Date(timeIntervalSinceNow: rest))
            }
            return nil
        }
    }

    /// Lets those who wait try again.
    func stir() { withLock { condition.broadcast() } }

    // MARK: Events

    func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        withLock {
            guard status != .closed, !schedule.contains(where: { $0.runLoop === runLoop && $0.mode == mode }) else { return }
            schedule.append(ScheduledRunLoop(runLoop, mode))
            send()
        }
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        withLock {
            schedule.removeAll { place in
                guard place.runLoop === runLoop, place.mode == mode else { return false }
                place.end()
                return true
            }
        }
    }

    /// The delegate is to hear of it, if it is then still so.
    func tell(_ event: Stream.Event) {
        withLock {
            if status == .open { add(event) }
        }
    }

    private func add(_ event: Stream.Event) {
        guard !events.contains(event) else { return }
        events.append(event)
        send()
    }

    /// Sends one event on its way. An event that comes while none can be delivered waits.
    private func send() {
        guard !isOnItsWay, !events.isEmpty, let place = schedule.first else { return }
        isOnItsWay = true
        place.perform { [weak self] in self?.deliver(at: place) }
    }

    private func deliver(at place: ScheduledRunLoop) {
        let (event, stream, delegate) = withLock {
            isOnItsWay = false
            // The program may have taken the stream from this run loop meanwhile.
            guard schedule.contains(where: { $0 === place }), !events.isEmpty else { return (nil, nil, nil) as Delivery }
            return (events.removeFirst(), self.stream, self.delegate)
        }
        if let event, let stream, let delegate, Self.isSo(event, stream) { delegate.stream(stream, handle: event) }
        withLock { send() }
    }

    private typealias Delivery = (Stream.Event?, Stream?, (any StreamDelegate)?)

    /// Whether what was to be told still is true: the program may have read or written in between, and would now wait in vain.
    private static func isSo(_ event: Stream.Event, _ stream: Stream) -> Bool {
        switch event {
        case .hasBytesAvailable: (stream as? InputStream)?.hasBytesAvailable == true
        case .hasSpaceAvailable: (stream as? OutputStream)?.hasSpaceAvailable == true
        default: true
        }
    }
}
