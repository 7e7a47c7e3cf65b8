/// A firmware image as it is in a file: a header that the button wants to see first, and a payload that only the button can look into (protocol 9.4, 13.5, 14.4).
///
/// An image comes from whoever runs the program; nothing is downloaded. Its form is checked here, before a byte of it is sent. Whether it is genuine,
/// and for this button, only the button knows: it checks a signature when it has all of it.
public struct FirmwareImage: Hashable, Sendable {
    /// What an image is for. The forms cannot be told from each other by their bytes.
    public enum Product: String, Hashable, Sendable, CaseIterable {
        /// An initialization vector of 8 bytes, then a payload of whole 32-bit words.
        case flic2
        /// A header of 76 bytes, then a payload.
        case duo
        /// An initialization vector of 8 bytes, the size in words when unpacked, a signature of 64 bytes, then a payload.
        case twist
    }

    /// Why bytes are no image.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// So few bytes; an error page of a server, perhaps.
        case tooSmall(Int)
        /// So many bytes.
        case tooLarge(Int)
        /// So many bytes, which are not whole words.
        case brokenWord(Int)

        /// A sentence.
        public var description: String {
            switch self {
            case .tooSmall(let count): "A firmware image has \(FirmwareImage.sizes.lowerBound) bytes at least; this has \(count)."
            case .tooLarge(let count): "A firmware image has \(FirmwareImage.sizes.upperBound) bytes at most; this has \(count)."
            case .brokenWord(let count):
                "The firmware image of a Flic 2 consists of words of 4 bytes; this has \(count) bytes, so it is damaged or for another product."
            }
        }
    }

    /// How large a file may be, in bytes (protocol 9.4).
    public static let sizes = 1000...256 * 1024

    /// What the image is for.
    public let product: Product
    /// What the start of an update carries.
    package let header: [UInt8]
    /// What is transferred.
    package let payload: [UInt8]

    /// Takes a file apart.
    ///
    /// - Parameters:
    ///   - bytes: All of the file.
    ///   - product: What the image is for.
    /// - Throws: What is wrong with its form.
    public init(_ bytes: some Collection<UInt8>, for product: Product = .flic2) throws(Problem) {
        guard bytes.count >= Self.sizes.lowerBound else { throw .tooSmall(bytes.count) }
        guard bytes.count <= Self.sizes.upperBound else { throw .tooLarge(bytes.count) }
        let form = product.form
        self.product = product
        header = Array(bytes.prefix(form.headerSize))
        payload = Array(bytes.dropFirst(form.headerSize))
        guard payload.count.isMultiple(of: form.unit) else { throw .brokenWord(bytes.count) }
    }

    /// Size of the file, in bytes.
    public var size: Int { header.count + payload.count }
}

extension FirmwareImage.Product {
    /// How an image of this product goes over the air.
    package struct Form: Sendable {
        /// In bytes, as everything that does not say otherwise.
        package let headerSize: Int
        /// What positions on the air count.
        package let unit: Int
        /// The most that a packet carries.
        package let packetSize: Int
        /// The most that may be sent without having been acknowledged.
        package let window: Int
        /// How often the button is to acknowledge; what that counts depends on the product.
        package let statusInterval: UInt16
    }

    package var form: Form {
        switch self {
        case .flic2: Form(headerSize: 8, unit: 4, packetSize: 120, window: 2048, statusInterval: 60)
        case .duo: Form(headerSize: 76, unit: 1, packetSize: 110, window: 1320, statusInterval: 2)
        case .twist: Form(headerSize: 76, unit: 1, packetSize: 120, window: 480, statusInterval: 2)
        }
    }
}

extension FirmwareImage {
    /// The request with which an update begins.
    var startRequest: RequestQueue.Request {
        switch product {
        case .flic2:
            var request = StartFirmwareUpdateRequest()
            request.lengthWords = UInt16(payload.count / product.form.unit)  // fits, by the limit of the size
            request.initializationVector = header
            request.statusInterval = product.form.statusInterval
            return .init(request, answers: StartFirmwareUpdateResponse.self)
        case .duo:
            var request = StartFirmwareUpdateDuoRequest()
            request.length = UInt32(payload.count)
            request.header = header
            request.statusInterval = product.form.statusInterval
            return .init(request, answers: StartFirmwareUpdateResponse.self)
        case .twist:
            var request = Twist.StartFirmwareUpdateRequest()
            request.lengthCompressed = UInt32(payload.count)
            request.initializationVector = Array(header[0..<8])
            request.lengthUncompressedWords = header[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            request.signature = Array(header[12..<76])
            request.statusInterval = product.form.statusInterval
            return .init(request, answers: StartFirmwareUpdateResponse.self)
        }
    }

    /// The packet with this piece of the payload.
    func packet(_ range: Range<Int>) -> [UInt8] {
        switch product {
        case .flic2, .twist:
            var packet = FirmwareUpdateDataInd()
            packet.data = Array(payload[range])
            return packet.body
        case .duo:
            var packet = FirmwareUpdateDataDuoInd()
            packet.data = Array(payload[range])
            return packet.body
        }
    }
}
