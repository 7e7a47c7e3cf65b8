// Which numbers the packets of the Flic Twist that have a layout of their own have in a session: that of the Flic 2's packet for the same purpose, or
// one above all of those.

extension Twist {
    /// No packet of the Flic 2 or Duo has such a number.
    static let ownNumbers: UInt8 = 0x80

    /// A packet that no other device has.
    package protocol Own: Packet {}

    /// A packet that does what a packet of the Flic 2 does.
    package protocol Counterpart: Packet {
        associatedtype Original: Packet
    }
}

extension Twist.Own {
    package static var sessionOpcode: UInt8 { Twist.ownNumbers | opcode }
}

extension Twist.Counterpart {
    package static var sessionOpcode: UInt8 { Original.sessionOpcode }
}

extension Twist.ForceBtDisconnectInd: Twist.Counterpart { package typealias Original = ForceBtDisconnectInd }
extension Twist.InitButtonEventsRequest: Twist.Counterpart { package typealias Original = InitButtonEventsRequest }
extension Twist.StartFirmwareUpdateRequest: Twist.Counterpart { package typealias Original = StartFirmwareUpdateRequest }
extension Twist.GetBatteryLevelRequest: Twist.Counterpart { package typealias Original = GetBatteryLevelRequest }
extension Twist.SetAdvParametersRequest: Twist.Counterpart { package typealias Original = SetAdvParametersRequest }
extension Twist.UpdateTwistPosInd: Twist.Own {}
extension Twist.GetSensorsMinMaxRequest: Twist.Own {}
extension Twist.SetLedsInd: Twist.Own {}
extension Twist.FactoryConfigRequest: Twist.Own {}
extension Twist.ChangeConfigRequest: Twist.Own {}

extension Twist.FullVerifyResponse2: Twist.Counterpart { package typealias Original = FullVerifyResponse2 }
extension Twist.InitButtonEventsResponse: Twist.Counterpart { package typealias Original = InitButtonEventsResponseWithBootId }
extension Twist.ButtonEventNotificationV2: Twist.Counterpart { package typealias Original = ButtonEventNotification }
extension Twist.GetBatteryLevelResponse: Twist.Counterpart { package typealias Original = GetBatteryLevelResponse }
extension Twist.TwistEventNotification: Twist.Own {}
extension Twist.GetSensorsMinMaxResponse: Twist.Own {}
extension Twist.FactoryConfigResponse: Twist.Own {}
extension Twist.ChangeConfigResponse: Twist.Own {}
