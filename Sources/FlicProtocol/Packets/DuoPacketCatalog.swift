// The packets that only the Flic Duo has; it shares the opcodes of the Flic 2 for the rest (protocol 13.2).
extension PacketCatalog {
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
