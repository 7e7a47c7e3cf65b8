/// What goes wrong with Bluetooth itself (contract D71). As `NSError` it has the domain ``CBErrorDomain``.
///
/// `@unchecked Sendable`: it never changes; what a program puts into `userInfo` is up to the program, as it is with `NSError`.
public struct CBError: CustomNSError, @unchecked Sendable {
    /// The kinds of failure, counted from 0 (contract D71).
    @nonexhaustive
    public enum Code: Int, Sendable {
        /// An unknown error.
        case unknown
        /// What was asked for makes no sense.
        case invalidParameters
        /// The attribute does not exist.
        case invalidHandle
        /// There is no connection.
        case notConnected
        /// There is no room for more.
        case outOfSpace
        /// It was called off.
        case operationCancelled
        /// The device did not answer in time, or went out of range.
        case connectionTimeout
        /// The device has ended the connection.
        case peripheralDisconnected
        /// The UUID is the system's own.
        case uuidNotAllowed
        /// An advertisement goes on.
        case alreadyAdvertising
        /// No connection could be made.
        case connectionFailed
        /// The Bluetooth adapter can hold no more connections.
        case connectionLimitReached
        /// The device is not known. Misspelt on iOS, too; see ``unknownDevice``.
        case unkownDevice
        /// It is not supported, or the system refuses it.
        case operationNotSupported
        /// The device has forgotten its pairing with this one.
        case peerRemovedPairingInformation
        /// The link could not be encrypted in time.
        case encryptionTimedOut
        /// No more devices can be paired.
        case tooManyLEPairedDevices
        /// Too many notifications came in the background. Does not occur on Linux.
        case leGattExceededBackgroundNotificationLimit
        /// Almost too many notifications came in the background. Does not occur on Linux.
        case leGattNearBackgroundNotificationLimit

        /// The right spelling.
        public static var unknownDevice: Self { .unkownDevice }
    }

    /// What went wrong.
    public let code: Code
    /// The sentence, and the cause underneath if there is one.
    public let userInfo: [String: Any]

    /// - Parameters:
    ///   - code: What went wrong.
    ///   - userInfo: What is to be known beside a sentence that tells the code; may have a better sentence.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
    }

    /// The same as ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// The same as ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }

    /// The sentence.
    public var localizedDescription: String { (self as NSError).localizedDescription }
}

/// The codes, for `catch CBError.alreadyAdvertising`, and for `if case` (contract A32).
extension CBError {
    /// An unknown error.
    public static var unknown: Code { .unknown }
    /// What was asked for makes no sense.
    public static var invalidParameters: Code { .invalidParameters }
    /// The attribute does not exist.
    public static var invalidHandle: Code { .invalidHandle }
    /// There is no connection.
    public static var notConnected: Code { .notConnected }
    /// There is no room for more.
    public static var outOfSpace: Code { .outOfSpace }
    /// It was called off.
    public static var operationCancelled: Code { .operationCancelled }
    /// The device did not answer in time, or went out of range.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The device has ended the connection.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// The UUID is the system's own.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// An advertisement goes on.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// No connection could be made.
    public static var connectionFailed: Code { .connectionFailed }
    /// The Bluetooth adapter can hold no more connections.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// The device is not known. Misspelt on iOS, too; see ``unknownDevice``.
    public static var unkownDevice: Code { .unkownDevice }
    /// It is not supported, or the system refuses it.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The device has forgotten its pairing with this one.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// The link could not be encrypted in time.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// No more devices can be paired.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// Too many notifications came in the background. Does not occur on Linux.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// Almost too many notifications came in the background. Does not occur on Linux.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
    /// The right spelling.
    public static var unknownDevice: Code { .unkownDevice }
}

extension CBError.Code {
    /// Whether `error` is a ``CBError`` with this code (contract A32).
    public static func ~= (match: Self, error: any Error) -> Bool { (error as? CBError)?.code == match }

    fileprivate var sentence: String {
        switch self {
        case .unknown: "An unknown error occurred."
        case .invalidParameters: "The parameters are not valid."
        case .invalidHandle: "The attribute handle is not valid."
        case .notConnected: "The device is not connected."
        case .outOfSpace: "There is no space left."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The device has ended the connection."
        case .uuidNotAllowed: "This UUID is not allowed."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection could not be made."
        case .connectionLimitReached: "No more Bluetooth connections are possible."
        case .unkownDevice: "The device is not known."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "The device has removed its pairing information."
        case .encryptionTimedOut: "The connection could not be encrypted in time."
        case .tooManyLEPairedDevices: "Too many devices are paired."
        case .leGattExceededBackgroundNotificationLimit: "Too many notifications came in the background."
        case .leGattNearBackgroundNotificationLimit: "Almost too many notifications came in the background."
        }
    }
}
