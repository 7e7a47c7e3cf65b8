import FlicProtocol

/// Firmware update (protocol 9.4). The image is not looked into; it is right unless ``Faults/refusesFirmware`` is set.
extension ButtonFirmware {
    struct FirmwareUpdate: Sendable, Equatable {
        let initializationVector: [UInt8]
        /// In words of 32 bits, as all positions.
        let length: Int
        var interval: Int
        var position = 0
        var reported = 0
        /// The session that sends the image; nil while the update is interrupted.
        var owner: UInt8?
        /// The version that runs after the next reboot, which comes when the link is gone.
        var installed: UInt32?
    }

    /// How far an update has come, in words of 32 bits.
    package var updatePosition: Int? { update?.position }

    mutating func startUpdate(_ request: StartFirmwareUpdateRequest, on id: UInt8) {
        var answer = StartFirmwareUpdateResponse()
        if update?.installed != nil {
            answer.startPosition = -3
        } else if let owner = update?.owner, owner != id {
            answer.startPosition = -2
        } else if request.lengthWords == 0 || request.statusInterval == 0 {
            answer.startPosition = -1
        } else {
            let isContinued = update?.initializationVector == request.initializationVector && update?.length == Int(request.lengthWords)
            var next =
                update.flatMap { isContinued ? $0 : nil }
                ?? FirmwareUpdate(
                    initializationVector: request.initializationVector,
                    length: Int(request.lengthWords),
                    interval: Int(request.statusInterval)
                )
            next.interval = Int(request.statusInterval)
            next.reported = next.position
            next.owner = id
            update = next
            answer.startPosition = Int32(next.position)
        }
        send(answer, to: id)
    }

    mutating func continueUpdate(_ packet: FirmwareUpdateDataInd, on id: UInt8) {
        guard var next = update, next.owner == id, next.installed == nil else { return }
        next.position = min(next.position + packet.data.count / 4, next.length)
        let isComplete = next.position == next.length
        guard isComplete || next.position - next.reported >= next.interval else {
            update = next
            return
        }
        next.reported = next.position
        var report = FirmwareUpdateNotification()
        if isComplete, faults.refusesFirmware {
            update = nil
            report.position = 0
        } else {
            if isComplete { next.installed = firmwareVersion &+ 1 }
            update = next
            report.position = Int32(next.position)
        }
        send(report, to: id)
    }
}
