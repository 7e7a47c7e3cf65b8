public import FlicProtocol

/// Makes firmware images that simulated buttons accept, as a vendor does for real ones.
///
/// Behind the header, the payload begins with the version, and ends with an Ed25519 signature of everything before it. The key is that of ``TestRoot``. What is
/// between means nothing.
public enum SimulatedFirmware {
    /// An image.
    ///
    /// - Parameters:
    ///   - version: What a button tells that runs it.
    ///   - size: Of the file, in bytes; the nearest possible one is taken.
    ///   - product: What the image is for.
    ///   - seed: Images of different seeds are different.
    public static func image(version: UInt32, size: Int = 20_000, product: FirmwareImage.Product = .flic2, seed: UInt64 = 0) -> FirmwareImage {
        let size = min(max(size, FirmwareImage.sizes.lowerBound), FirmwareImage.sizes.upperBound) / 4 * 4
        var generator = SeededGenerator(seed: seed ^ UInt64(version) << 32)
        let headerSize = product.form.headerSize
        var bytes = (0..<size - signatureSize).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        for index in 0..<4 { bytes[headerSize + index] = UInt8(truncatingIfNeeded: version >> (8 * index)) }
        bytes += Sodium.sign(bytes, seed: TestRoot.seed) ?? []
        guard let image = try? FirmwareImage(bytes, for: product) else { preconditionFailure("the size is one of an image") }
        return image
    }

    /// All bytes of an image, as they are in a file.
    public static func file(_ image: FirmwareImage) -> [UInt8] { image.header + image.payload }

    private static let signatureSize = 64

    /// The version in an image; nil if its signature is wrong.
    static func version(header: [UInt8], payload: [UInt8]) -> UInt32? {
        guard payload.count >= signatureSize + 4,
            Sodium.isValidSignature(Array(payload.suffix(signatureSize)), of: header + payload.dropLast(signatureSize), publicKey: TestRoot.publicKey)
        else { return nil }
        return (0..<4).reduce(0) { $0 | UInt32(payload[$1]) << (8 * $1) }
    }
}
