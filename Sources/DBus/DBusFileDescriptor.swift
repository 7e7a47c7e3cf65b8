import Glibc
import Synchronization

/// A file descriptor that travels on the bus. Closed when the last reference goes, unless it was taken.
public final class DBusFileDescriptor: Sendable, Hashable {
    private let descriptor: Mutex<Int32>

    /// Takes the descriptor into possession.
    public init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// The descriptor, which stays in this object's possession; -1 if it was taken.
    public var number: Int32 { descriptor.withLock { $0 } }

    /// Hands the descriptor over; the caller closes it. -1 if it was taken before.
    public func take() -> Int32 {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }

    /// Lends the descriptor, -1 if it was taken; it can neither be taken nor closed meanwhile.
    func lend<Answer>(_ use: (Int32) -> Answer) -> Answer {
        descriptor.withLock { use($0) }
    }

    /// The same object.
    public static func == (left: DBusFileDescriptor, right: DBusFileDescriptor) -> Bool { left === right }

    /// By the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
