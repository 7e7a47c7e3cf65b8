import FlicProtocol
import FlicSimulator
import Testing

/// Firmware update, in both forms that there are in frames (protocol 9.4, 13.5); the Twist's is tested with a host.
@Suite struct FirmwareUpdateTests {
    typealias Product = FirmwareImage.Product
    private static let products: [Product] = [.flic2, .duo]

    private func image(_ product: Product, version: UInt32 = 11, seed: UInt64 = 0) -> FirmwareImage {
        SimulatedFirmware.image(version: version, size: 1476, product: product, seed: seed)
    }

    private func start(_ bench: inout Bench, _ image: FirmwareImage, interval: UInt16? = nil, from index: Int = 0) -> Int32? {
        if image.product == .flic2 {
            var request = StartFirmwareUpdateRequest()
            request.lengthWords = UInt16(image.payload.count / 4)
            request.initializationVector = image.header
            request.statusInterval = interval ?? 60
            bench.send(request, from: index)
        } else {
            var request = StartFirmwareUpdateDuoRequest()
            request.length = UInt32(image.payload.count)
            request.header = image.header
            request.statusInterval = interval ?? 2
            bench.send(request, from: index)
        }
        return bench.clients[index].packets(StartFirmwareUpdateResponse.self).last?.startPosition
    }

    /// Sends bytes of the payload.
    private func send(_ bench: inout Bench, _ image: FirmwareImage, _ range: Range<Int>? = nil, from index: Int = 0) {
        let range = range ?? 0..<image.payload.count
        for start in stride(from: range.lowerBound, to: range.upperBound, by: image.product == .duo ? 110 : 120) {
            let data = Array(image.payload[start..<min(start + (image.product == .duo ? 110 : 120), range.upperBound)])
            if image.product == .flic2 {
                var packet = FirmwareUpdateDataInd()
                packet.data = data
                bench.send(packet, from: index)
            } else {
                var packet = FirmwareUpdateDataDuoInd()
                packet.data = data
                bench.send(packet, from: index)
            }
        }
    }

    private func reports(_ bench: Bench) -> [Int32] { bench.clients[0].packets(FirmwareUpdateNotification.self).map(\.position) }

    /// 367 words, or 1400 bytes.
    private let expectedReports: [Product: [Int32]] = [
        .flic2: [60, 120, 180, 240, 300, 360, 367], .duo: [220, 440, 660, 880, 1100, 1320, 1400],
    ]

    private func farewell(_ bench: inout Bench) {
        var request = ForceBtDisconnectInd()
        request.restartAdv = 1
        bench.send(request)
    }

    @Test("A complete image is reported, and runs after the link is gone, with a new boot id", arguments: Self.products, [23, 140])
    func complete(_ product: Product, mtu: Int) {
        var bench = Bench.running()
        bench.disconnect(.lost)
        bench.connect(mtu: mtu)
        bench.reconnect()
        let bootID = bench.firmware.bootID
        let image = image(product, version: 4711)
        #expect(start(&bench, image) == 0)
        send(&bench, image)
        #expect(reports(bench) == expectedReports[product])
        #expect(start(&bench, image) == -3)
        farewell(&bench)
        #expect(bench.firmware.firmwareVersion == 4711 && bench.firmware.bootID != bootID && bench.firmware.advertising != nil)
        #expect(bench.firmware.pairings.all.count == 1 && bench.firmware.updatePosition == nil)
    }

    @Test("A complete image runs after the battery was taken out, too; after that nothing is left of it", arguments: Self.products)
    func powerLossAtTheEnd(_ product: Product) {
        var bench = Bench.running()
        let image = image(product)
        _ = start(&bench, image)
        send(&bench, image)
        bench { firmware, _ in firmware.reboot() }
        #expect(bench.firmware.firmwareVersion == 11)
        bench.connect()
        bench.reconnect()
        #expect(start(&bench, image) == 0)
    }

    @Test("What has arrived outlasts the link, not the battery", arguments: Self.products)
    func powerLossInTheMiddle(_ product: Product) {
        var bench = Bench.running()
        let image = image(product)
        _ = start(&bench, image)
        send(&bench, image, 0..<240)
        bench.disconnect(.lost)
        bench.connect()
        bench.reconnect()
        #expect(start(&bench, image) == (product == .duo ? 240 : 60))
        bench { firmware, _ in firmware.reboot() }
        bench.connect()
        bench.reconnect()
        #expect(start(&bench, image) == 0 && bench.firmware.firmwareVersion == 10)
    }

    @Test("An interrupted update goes on only with the same header and length", arguments: Self.products)
    func resume(_ product: Product) {
        var bench = Bench.running()
        let first = image(product)
        _ = start(&bench, first)
        send(&bench, first, 0..<240)
        #expect(start(&bench, first) == (product == .duo ? 240 : 60))
        send(&bench, first, 240..<first.payload.count)
        #expect(reports(bench).last == expectedReports[product]?.last)

        bench = Bench.running()
        _ = start(&bench, first)
        send(&bench, first, 0..<240)
        let other = image(product, seed: 5)
        #expect(start(&bench, other) == 0)
        // The former one is forgotten.
        #expect(start(&bench, first) == 0)
        let longer = SimulatedFirmware.image(version: 11, size: 1480, product: product)
        #expect(longer.header == first.header && longer.payload.count == first.payload.count + 4)
        send(&bench, first, 0..<240)
        #expect(start(&bench, longer) == 0)
    }

    @Test("A wrong signature is reported as position zero: a byte is enough", arguments: Self.products, [0, 4, 700, 1300])
    func wrongSignature(_ product: Product, index: Int) throws {
        var bench = Bench.running()
        var bytes = SimulatedFirmware.file(image(product))
        bytes[product == .flic2 ? 8 + index : 76 + index] ^= 1
        let damaged = try FirmwareImage(bytes, for: product)
        _ = start(&bench, damaged)
        send(&bench, damaged)
        #expect(reports(bench).dropLast() == expectedReports[product]!.dropLast() && reports(bench).last == 0)
        #expect(start(&bench, damaged) == 0)
        farewell(&bench)
        #expect(bench.firmware.firmwareVersion == 10)
    }

    @Test("A header that is not that of the payload is a wrong signature, as is the fault")
    func wrongHeader() throws {
        var bench = Bench.running()
        let mixed = try FirmwareImage(image(.flic2, seed: 5).header + image(.flic2).payload)
        _ = start(&bench, mixed)
        send(&bench, mixed)
        #expect(reports(bench).last == 0)
        bench.firmware.faults.refusesFirmware = true
        _ = start(&bench, image(.flic2))
        send(&bench, image(.flic2))
        #expect(reports(bench).last == 0)
    }

    @Test("A second client is told that the button is busy; nothing at all is invalid", arguments: Self.products)
    func refused(_ product: Product) throws {
        var bench = Bench.running(clients: 2)
        let image = image(product)
        bench.send(StartFirmwareUpdateRequest())
        bench.send(StartFirmwareUpdateDuoRequest.with { $0.header = [UInt8](repeating: 0, count: 76) })
        #expect(bench.clients[0].packets(StartFirmwareUpdateResponse.self).map(\.startPosition) == [-1, -1])
        #expect(start(&bench, image, interval: 0) == -1)
        #expect(start(&bench, image) == 0)
        #expect(start(&bench, image, from: 1) == -2)
        send(&bench, image, from: 1)
        #expect(bench.firmware.updatePosition == 0)
        bench.send(DisconnectVerifiedLinkInd())
        #expect(start(&bench, image, from: 1) == 0)
    }

    @Test("A Duo's length beyond all reason is refused, and takes no memory")
    func tooLong() {
        var bench = Bench.running()
        bench.send(
            StartFirmwareUpdateDuoRequest.with {
                $0.length = .max
                $0.header = [UInt8](repeating: 0, count: 76)
                $0.statusInterval = 2
            }
        )
        #expect(bench.clients[0].packets(StartFirmwareUpdateResponse.self).last?.startPosition == -1)
    }

    @Test("Faults: the start is refused")
    func faults() {
        var bench = Bench.running()
        bench.firmware.faults.isFirmwareBusy = true
        #expect(start(&bench, image(.flic2)) == -2)
        bench.firmware.faults.refusesFirmwareStart = true
        #expect(start(&bench, image(.flic2)) == -1)
    }

    @Test(
        "Images: the size that was asked for, as far as it can be",
        arguments: [(0, 1000), (1000, 1000), (1003, 1000), (20_000, 20_000), (.max, 262_144)]
    )
    func sizes(asked: Int, size: Int) {
        for product in Self.products { #expect(SimulatedFirmware.image(version: 1, size: asked, product: product).size == size) }
    }
}

extension Packet {
    /// A packet with some fields set; the others are zero or empty.
    fileprivate static func with(_ setFields: (inout Self) -> Void) -> Self {
        var packet = Self()
        setFields(&packet)
        return packet
    }
}
