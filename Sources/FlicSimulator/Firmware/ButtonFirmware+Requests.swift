import FlicClient
import FlicProtocol

/// What a client can ask for in a session (protocol 4.3 to 4.6). The signature has been checked.
extension ButtonFirmware {
    mutating func serve(_ body: [UInt8], on id: UInt8) {
        let packet = body.span
        if identity.product == .twist, serveTwist(packet, on: id) { return }
        if packet[0] != PingResponse.opcode { withSession(id) { [clock] in $0.lastActivity = clock } }
        switch packet[0] {
        // Events
        case InitButtonEventsLightRequest.opcode:
            if let request = InitButtonEventsLightRequest(body: packet) { initializeEvents(request, on: id) }
        case InitButtonEventsRequest.opcode:
            if let request = InitButtonEventsRequest(body: packet) { initializeEvents(InitButtonEventsLightRequest(request), on: id) }
        case AckButtonEventsInd.opcode:
            if let packet = AckButtonEventsInd(body: packet) { withSession(id) { $0.acknowledged = packet.eventCount } }
        case InitButtonEventsDuoLightRequest.opcode:
            if let request = InitButtonEventsDuoLightRequest(body: packet) { initializeDuoEvents(request, on: id) }
        case AckButtonEventsDuoInd.opcode:
            if let packet = AckButtonEventsDuoInd(body: packet) { withSession(id) { $0.acknowledged = packet.eventCounts.big } }
        case EnablePushTwistInd.opcode:
            if let packet = EnablePushTwistInd(body: packet) { setPushTwist(packet, on: id) }

        // The session and the link
        case PingResponse.opcode:
            withSession(id) { $0.pingDeadline = nil }
        case DisconnectVerifiedLinkInd.opcode:
            endSession(id, .asAsked)
        case ForceBtDisconnectInd.opcode:
            if let request = ForceBtDisconnectInd(body: packet) { disconnect(request) }
        case SetConnectionParametersInd.opcode:
            if let request = SetConnectionParametersInd(body: packet) { connectionParameters = request }
        case SetAutoDisconnectTimeInd.opcode:
            if let request = SetAutoDisconnectTimeInd(body: packet) { withSession(id) { $0.autoDisconnectTime = request.autoDisconnectTime } }
        case SetAdvParametersRequest.opcode:
            if let request = SetAdvParametersRequest(body: packet) { configureAdvertising(request, on: id) }

        // Values
        case SetNameRequest.opcode:
            if let request = SetNameRequest(body: packet) { rename(request, on: id) }
        case GetNameRequest.opcode:
            var answer = GetNameResponse()
            answer.timestamp = name.timestamp
            answer.name = name.text
            send(answer, to: id)
        case GetBatteryLevelRequest.opcode:
            var answer = GetBatteryLevelResponse()
            answer.batteryLevel = batteryLevel
            send(answer, to: id)
        case GetFirmwareVersionRequest.opcode:
            sendFirmwareVersion(to: id)
        case GetCurrentTimeRequest.opcode:
            var answer = GetCurrentTimeResponse()
            answer.time = clock
            send(answer, to: id)
        case GetDeviceIdRequest.opcode:
            var answer = GetDeviceIdResponse()
            answer.deviceID = Array(identity.uuid.prefix(8))
            send(answer, to: id)

        default:
            serveRest(packet, on: id)
        }
    }

    private mutating func serveRest(_ packet: Span<UInt8>, on id: UInt8) {
        switch packet[0] {
        case StartFirmwareUpdateRequest.opcode:
            if let request = StartFirmwareUpdateRequest(body: packet) { startUpdate(request, on: id) }
        case FirmwareUpdateDataInd.opcode:
            if let packet = FirmwareUpdateDataInd(body: packet) { continueUpdate(packet.data, for: identity.product.image, on: id) }
        case StartFirmwareUpdateDuoRequest.opcode:
            if let request = StartFirmwareUpdateDuoRequest(body: packet) { startUpdate(request, on: id) }
        case FirmwareUpdateDataDuoInd.opcode:
            if let packet = FirmwareUpdateDataDuoInd(body: packet) { continueUpdate(packet.data, for: .duo, on: id) }
        case FactoryResetRequest.opcode:
            // The sessions go on: what they have agreed to does not need the pairing any more.
            eraseEverything()
            send(FactoryResetResponse(), to: id)
        case StartApiTimerInd.opcode:
            if let request = StartApiTimerInd(body: packet) { setTimer(request, on: id) }
        case SetHidStatusRequest.opcode:
            if SetHidStatusRequest(body: packet) != nil { send(ServicesChangedConfirmedInd(), to: id) }
        case SetHidMidiConfigDataInd.opcode:
            if let piece = SetHidMidiConfigDataInd(body: packet) { hidConfiguration.receive(piece.data) }
        case SetHidMidiConfigApplyRequest.opcode:
            var answer = SetHidMidiConfigApplyResponse()
            answer.result = hidConfiguration.apply()
            send(answer, to: id)
        case GetHidMidiConfigRequest.opcode:
            for piece in hidConfiguration.pieces {
                var packet = GetHidMidiConfigDataInd()
                packet.data = piece
                send(packet, to: id)
            }
            send(GetHidMidiConfigResponse(), to: id)
        default: break  // counted all the same (protocol 5.6)
        }
    }

    mutating func sendFirmwareVersion(to id: UInt8) {
        var answer = GetFirmwareVersionResponse()
        answer.version = firmwareVersion
        send(answer, to: id)
    }

    /// The simulation has no bonding: as if the host had refused. Question and answer are never signed, so they have no place in a session.
    mutating func refuseBonding(on id: UInt8) {
        var answer = PairingFinishedInd()
        answer.masterSentFail = true
        answer.reason = 5  // pairing not supported (Security Manager Protocol)
        send(answer, to: id)
    }

    mutating func disconnect(_ request: ForceBtDisconnectInd) {
        closeLink()
        if request.restartAdv == 1 { advertiseAfterPress() }
    }

    private mutating func setTimer(_ request: StartApiTimerInd, on id: UInt8) {
        withSession(id) { [clock] session in
            session.apiTimers.removeAll { $0.message == request.message || request.timeout == 0 }
            if request.timeout > 0, session.apiTimers.count < 16 {
                session.apiTimers.append(Session.ApiTimer(due: clock + UInt64(request.timeout), message: request.message))
            }
        }
    }

    // MARK: Name (protocol 9.1)

    private mutating func rename(_ request: SetNameRequest, on id: UInt8) {
        let isChanged = request.forceUpdate || request.timestamp > name.timestamp
        if isChanged { name = StoredName(request.name, timestamp: request.timestamp) }
        var answer = SetNameResponse()
        answer.timestamp = name.timestamp
        answer.name = name.text
        send(answer, to: id)
        if isChanged { announceName(except: id) }
    }

    /// Another app renames the button.
    package mutating func setName(_ name: StoredName, at time: UInt64) -> [Action] {
        proceed(to: time)
        self.name = name
        announceName(except: nil)
        return flush()
    }

    private mutating func announceName(except id: UInt8?) {
        var packet = NameUpdatedNotification()
        packet.name = name.text
        for other in sessionIDs where other != id && self[other]?.session?.isInitialized == true { send(packet, to: other) }
    }
}

extension InitButtonEventsLightRequest {
    /// The same without the HID bit.
    fileprivate init(_ request: InitButtonEventsRequest) {
        self.init()
        eventCount = request.eventCount
        bootID = request.bootID
        autoDisconnectTime = request.autoDisconnectTime
        maximumQueued = request.maximumQueued
        maximumAge = request.maximumAge
    }
}
