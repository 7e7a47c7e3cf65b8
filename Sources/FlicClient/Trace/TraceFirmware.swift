package import FlicProtocol

/// A firmware image in a trace: its header, which the start of an update shows, and its size. Of the payload there is nothing, neither here nor in the frames
/// (``FrameMask``): it belongs to whoever made it, and a session does not look into it.
package struct TraceFirmware: Codable, Equatable, Sendable {
    var product: String
    var header: String
    /// Of the file.
    var bytes: Int
    package var wasSent: Bool

    init(_ image: FirmwareImage, wasSent: Bool) {
        product = image.product.rawValue
        header = Hexadecimal.text(image.header)
        bytes = image.size
        self.wasSent = wasSent
    }

    /// An image of zeros, as the masked frames show it; nil if a trace says something that cannot be.
    package var image: FirmwareImage? {
        guard let product = FirmwareImage.Product(rawValue: product), let header = Hexadecimal.bytes(header), header.count == product.form.headerSize,
            FirmwareImage.sizes ~= bytes
        else { return nil }
        return try? FirmwareImage(header + [UInt8](repeating: 0, count: bytes - header.count), for: product)
    }
}
