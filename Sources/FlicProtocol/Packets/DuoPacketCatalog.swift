// The packets that only the Flic Duo has; it shares the opcodes of the Flic 2 for the rest (protocol 13.2).
extension PacketCatalog {
    /// What a packet of a Flic 2 or Duo is; nil for an opcode that neither has.
    package static func packet(_ opcode: UInt8, _ direction: Direction) -> (any Packet.Type)? {
        let (both, duo) = direction == .toButton ? (toButton, duoToButton) : (fromButton, duoFromButton)
        return Int(opcode) < both.count ? both[Int(opcode)] : duo.first { $0.opcode == opcode }
    }

    /// In the order of their opcodes.
    package static let duoToButton: [any Packet.Type] = [
        ExecuteLedPatternInd.self,
        AbortLedPatternInd.self,
        InitButtonEventsDuoLightRequest.self,
        AckButtonEventsDuoInd.self,
        EnablePushTwistInd.self,
        StartFirmwareUpdateDuoRequest.self,
        FirmwareUpdateDataDuoInd.self,
        ConfigureAccelerometerStreamingRequest.self,
        DisableAccelerometerStreamingRequest.self,
        PlayBuzzerSoundRequest.self,
        ConfigureFallDetectionRequest.self,
        CancelFallDetectionRequest.self,
    ]

    /// In the order of their opcodes.
    package static let duoFromButton: [any Packet.Type] = [
        InitButtonEventsDuoResponseWithBootId.self,
        InitButtonEventsDuoResponseWithoutBootId.self,
        ButtonEventDuoNotification.self,
        PushTwistDataNotification.self,
        ConfigureAccelerometerStreamingResponse.self,
        DisableAccelerometerStreamingResponse.self,
        AccelerometerStreamingNotification.self,
        ConfigureFallDetectionResponse.self,
        FallDetectionTriggeredNotification.self,
        FallDetectionSamplesNotification.self,
        CancelFallDetectionResponse.self,
    ]
}
