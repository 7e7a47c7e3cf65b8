import FlicProtocol

/// Firmware update, in the forms of the Flic 2, of the Duo and of the Twist (protocol 9.4, 13.5, 14.4).
///
/// What has arrived outlasts the link, and the session, but not a reboot; an update that is complete becomes what runs with the next one, which comes with the end of the
/// link. A start with another header or length begins anew.
extension ButtonFirmware {
    struct FirmwareUpdate: Sendable, Equatable {
        let product: FirmwareImage.Product
        let header: [UInt8]
        /// In bytes.
        let length: Int
        var payload: [UInt8] = []
        /// Bytes, or packets of a Duo or Twist, between reports.
        var interval: Int
        /// Bytes or packets since the last report.
        var unreported = 0
        /// The session that sends the image; nil while the update is interrupted.
        var owner: UInt8?
        /// The version that runs after the next reboot.
        var installed: UInt32?

        /// As on the air.
        var position: Int { payload.count / product.form.unit }
    }

    /// How far an update has come: in words of 32 bits, or in bytes if it is one of a Duo or Twist.
    package var updatePosition: Int? { update?.position }

    mutating func startUpdate(_ request: StartFirmwareUpdateRequest, on id: UInt8) {
        let form = FirmwareImage.Product.flic2.form
        let next = FirmwareUpdate(
            product: .flic2,
            header: request.initializationVector,
            length: Int(request.lengthWords) * form.unit,
            interval: Int(request.statusInterval) * form.unit
        )
        startUpdate(next, on: id)
    }

    mutating func startUpdate(_ request: StartFirmwareUpdateDuoRequest, on id: UInt8) {
        let next = FirmwareUpdate(
            product: .duo,
            header: request.header,
            length: Int(request.length),
            interval: Int(request.statusInterval)
        )
        startUpdate(next, on: id)
    }

    mutating func startUpdate(_ request: Twist.StartFirmwareUpdateRequest, on id: UInt8) {
        let words = (0..<4).map { UInt8(truncatingIfNeeded: request.lengthUncompressedWords >> (8 * $0)) }
        let next = FirmwareUpdate(
            product: .twist,
            header: request.initializationVector + words + request.signature,
            length: Int(request.lengthCompressed),
            interval: Int(request.statusInterval)
        )
        startUpdate(next, on: id)
    }

    private mutating func startUpdate(_ wanted: FirmwareUpdate, on id: UInt8) {
        var answer = StartFirmwareUpdateResponse()
        answer.startPosition = start(wanted, on: id)
        send(answer, to: id)
    }

    private mutating func start(_ wanted: FirmwareUpdate, on id: UInt8) -> Int32 {
        if faults.refusesFirmwareStart { return -1 }
        if faults.isFirmwareBusy { return -2 }
        if update?.installed != nil { return -3 }
        if let owner = update?.owner, owner != id { return -2 }
        guard 1...FirmwareImage.sizes.upperBound ~= wanted.length, wanted.interval > 0 else { return -1 }
        var next = wanted
        if let update, update.product == wanted.product, update.header == wanted.header, update.length == wanted.length {
            next.payload = update.payload
        }
        next.owner = id
        update = next
        return Int32(next.position)
    }

    mutating func continueUpdate(_ data: [UInt8], for product: FirmwareImage.Product, on id: UInt8) {
        guard var next = update, next.product == product, next.owner == id, next.installed == nil else { return }
        update = nil  // else each packet would copy all of it
        let piece = data.prefix(next.length - next.payload.count)
        next.payload += piece.prefix(piece.count / product.form.unit * product.form.unit)
        next.unreported += product == .flic2 ? piece.count : 1
        let isComplete = next.payload.count == next.length
        guard isComplete || next.unreported >= next.interval else {
            update = next
            return
        }
        next.unreported = 0
        var report = FirmwareUpdateNotification()
        if isComplete {
            next.installed = faults.refusesFirmware ? nil : SimulatedFirmware.version(header: next.header, payload: next.payload)
        }
        if isComplete && next.installed == nil {
            report.position = 0
        } else {
            update = next
            report.position = Int32(next.position)
        }
        send(report, to: id)
    }
}
