/// What a request of a central is answered, in the words of the attribute protocol (contract D72). As `NSError` it has the domain
/// ``CBATTErrorDomain``.
///
/// `@unchecked Sendable`: it never changes; what a program puts into `userInfo` is up to the program, as it is with `NSError`.
public struct CBATTError: CustomNSError, @unchecked Sendable {
    /// The answers (Bluetooth Core, Vol 3, Part F, 3.4.1.1), and any other number (contract D72, D73).
    @nonexhaustive
    public enum Code: RawRepresentable, Hashable, Sendable {
        /// It was done.
        case success
        /// The attribute does not exist.
        case invalidHandle
        /// It must not be read.
        case readNotPermitted
        /// It must not be written.
        case writeNotPermitted
        /// The packet makes no sense.
        case invalidPdu
        /// Authentication is needed first.
        case insufficientAuthentication
        /// It cannot be done.
        case requestNotSupported
        /// The offset is beyond the end of the value.
        case invalidOffset
        /// Authorization is needed first.
        case insufficientAuthorization
        /// Too many writes have been prepared.
        case prepareQueueFull
        /// There is no such attribute.
        case attributeNotFound
        /// The value cannot be read in parts.
        case attributeNotLong
        /// The key of the encryption is too short.
        case insufficientEncryptionKeySize
        /// The value is too short or too long.
        case invalidAttributeValueLength
        /// Something unlikely went wrong.
        case unlikelyError
        /// The link has to be encrypted first.
        case insufficientEncryption
        /// Attributes of this type cannot be found by group.
        case unsupportedGroupType
        /// There is no room for it.
        case insufficientResources
        /// A number that has no name here, such as the application's own: 0x80 to 0x9F on the air. Made by ``init(rawValue:)``.
        ///
        /// The one difference from iOS: a `switch` that lists all other codes needs `default`, and gets a warning with `@unknown default`.
        case _other(Int)

        private static let named: [Self] = [
            .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication, .requestNotSupported,
            .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound, .attributeNotLong, .insufficientEncryptionKeySize,
            .invalidAttributeValueLength, .unlikelyError, .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
        ]

        /// Takes any number; never nil (contract A4, D73).
        public init?(rawValue: Int) {
            self = Self.named.indices.contains(rawValue) ? Self.named[rawValue] : ._other(rawValue)
        }

        /// The number of the error in the attribute protocol.
        public var rawValue: Int {
            // No search for the case: `==` compares raw values, and would not return.
            switch self {
            case .success: 0
            case .invalidHandle: 1
            case .readNotPermitted: 2
            case .writeNotPermitted: 3
            case .invalidPdu: 4
            case .insufficientAuthentication: 5
            case .requestNotSupported: 6
            case .invalidOffset: 7
            case .insufficientAuthorization: 8
            case .prepareQueueFull: 9
            case .attributeNotFound: 10
            case .attributeNotLong: 11
            case .insufficientEncryptionKeySize: 12
            case .invalidAttributeValueLength: 13
            case .unlikelyError: 14
            case .insufficientEncryption: 15
            case .unsupportedGroupType: 16
            case .insufficientResources: 17
            case ._other(let number): number
            }
        }
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

    /// The same as ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// The same as ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }

    /// The sentence.
    public var localizedDescription: String { (self as NSError).localizedDescription }
}

/// The codes, for `catch CBATTError.prepareQueueFull`, and for `if case` (contract A32).
extension CBATTError {
    /// It was done.
    public static var success: Code { .success }
    /// The attribute does not exist.
    public static var invalidHandle: Code { .invalidHandle }
    /// It must not be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// It must not be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The packet makes no sense.
    public static var invalidPdu: Code { .invalidPdu }
    /// Authentication is needed first.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// It cannot be done.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset is beyond the end of the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// Authorization is needed first.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many writes have been prepared.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// There is no such attribute.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The value cannot be read in parts.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The key of the encryption is too short.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value is too short or too long.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// Something unlikely went wrong.
    public static var unlikelyError: Code { .unlikelyError }
    /// The link has to be encrypted first.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// Attributes of this type cannot be found by group.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// There is no room for it.
    public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError.Code {
    /// Whether `error` is a ``CBATTError`` with this code (contract A32).
    public static func ~= (match: Self, error: any Error) -> Bool { (error as? CBATTError)?.code == match }

    fileprivate var sentence: String {
        switch self {
        case .success: "The request was successful."
        case .invalidHandle: "The attribute handle is not valid."
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .invalidPdu: "The packet is not valid."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset is not valid."
        case .insufficientAuthorization: "Authorization is insufficient."
        case .prepareQueueFull: "The queue of prepared writes is full."
        case .attributeNotFound: "The attribute was not found."
        case .attributeNotLong: "The attribute is not long."
        case .insufficientEncryptionKeySize: "The encryption key is too short."
        case .invalidAttributeValueLength: "The length of the value is not valid."
        case .unlikelyError: "An unlikely error occurred."
        case .insufficientEncryption: "Encryption is insufficient."
        case .unsupportedGroupType: "The group type is not supported."
        case .insufficientResources: "The resources are insufficient."
        case ._other: "The application has refused the request."
        }
    }
}
