/// The Flic Twist: the cryptography of the Flic 2, with its own service, opcodes and no frames (protocol 14).
package enum Twist {
    /// Packets are not cut, so that a link has to have this ATT MTU (protocol 14.1).
    package static let smallestMTU = 140
    /// The longest that a client looks at, in bytes: the most that a value of GATT can have.
    static let largestPacket = 512
    /// A whole turn, and the width of the window that a position stays in (protocol 14.3).
    package static let turn: Int64 = 49_152

    /// A packet of the Flic 2 under the opcode that it has on the Twist; layout, direction and signature are the same (protocol 14.2).
    ///
    /// The bit that says "Duo" is a reserved one here: leave it false.
    @dynamicMemberLookup
    package struct Renumbered<Layout: Packet, let number: Int>: Packet {
        package static var opcode: UInt8 { UInt8(truncatingIfNeeded: number) }
        package static var sessionOpcode: UInt8 { Layout.sessionOpcode }
        package static var direction: Direction { Layout.direction }
        package static var signing: Signing { Layout.signing }

        /// The packet as the Flic 2 knows it.
        package var layout = Layout()

        package init() {}

        package init(_ layout: Layout) { self.layout = layout }

        package subscript<Value>(dynamicMember path: WritableKeyPath<Layout, Value>) -> Value {
            get { layout[keyPath: path] }
            set { layout[keyPath: path] = newValue }
        }

        package mutating func code(_ coder: inout some FieldCoder) { layout.code(&coder) }
    }

    package typealias FullVerifyRequest1 = Renumbered<FlicProtocol.FullVerifyRequest1, 0>
    package typealias FullVerifyRequest2WithAppToken = Renumbered<FlicProtocol.FullVerifyRequest2WithAppToken, 1>
    package typealias FullVerifyRequest2WithoutAppToken = Renumbered<FlicProtocol.FullVerifyRequest2WithoutAppToken, 2>
    package typealias FullVerifyAbortInd = Renumbered<FlicProtocol.FullVerifyAbortInd, 3>
    package typealias TestIfReallyUnpairedRequest = Renumbered<FlicProtocol.TestIfReallyUnpairedRequest, 4>
    package typealias QuickVerifyRequest = Renumbered<FlicProtocol.QuickVerifyRequest, 5>
    package typealias GetFirmwareVersionRequest = Renumbered<FlicProtocol.GetFirmwareVersionRequest, 7>
    package typealias DisconnectVerifiedLinkInd = Renumbered<FlicProtocol.DisconnectVerifiedLinkInd, 8>
    package typealias SetNameRequest = Renumbered<FlicProtocol.SetNameRequest, 9>
    package typealias GetNameRequest = Renumbered<FlicProtocol.GetNameRequest, 10>
    package typealias StartApiTimerInd = Renumbered<FlicProtocol.StartApiTimerInd, 11>
    package typealias AckButtonEventsInd = Renumbered<FlicProtocol.AckButtonEventsInd, 13>
    package typealias FirmwareUpdateDataInd = Renumbered<FlicProtocol.FirmwareUpdateDataInd, 16>
    package typealias FactoryResetRequest = Renumbered<FlicProtocol.FactoryResetRequest, 18>
    package typealias GetCurrentTimeRequest = Renumbered<FlicProtocol.GetCurrentTimeRequest, 19>
    package typealias GetDeviceIdRequest = Renumbered<FlicProtocol.GetDeviceIdRequest, 20>

    package typealias FullVerifyResponse1 = Renumbered<FlicProtocol.FullVerifyResponse1, 0>
    package typealias FullVerifyFailResponse = Renumbered<FlicProtocol.FullVerifyFailResponse, 2>
    package typealias TestIfReallyUnpairedResponse = Renumbered<FlicProtocol.TestIfReallyUnpairedResponse, 3>
    package typealias GetFirmwareVersionResponse = Renumbered<FlicProtocol.GetFirmwareVersionResponse, 4>
    package typealias QuickVerifyNegativeResponse = Renumbered<FlicProtocol.QuickVerifyNegativeResponse, 5>
    package typealias QuickVerifyResponse = Renumbered<FlicProtocol.QuickVerifyResponse, 6>
    package typealias DisconnectedVerifiedLinkInd = Renumbered<FlicProtocol.DisconnectedVerifiedLinkInd, 7>
    package typealias ApiTimerNotification = Renumbered<FlicProtocol.ApiTimerNotification, 11>
    package typealias GetNameResponse = Renumbered<FlicProtocol.GetNameResponse, 12>
    package typealias SetNameResponse = Renumbered<FlicProtocol.SetNameResponse, 13>
    package typealias StartFirmwareUpdateResponse = Renumbered<FlicProtocol.StartFirmwareUpdateResponse, 14>
    package typealias FirmwareUpdateNotification = Renumbered<FlicProtocol.FirmwareUpdateNotification, 15>
    package typealias FactoryResetResponse = Renumbered<FlicProtocol.FactoryResetResponse, 17>
    package typealias GetCurrentTimeResponse = Renumbered<FlicProtocol.GetCurrentTimeResponse, 18>
    package typealias GetDeviceIdResponse = Renumbered<FlicProtocol.GetDeviceIdResponse, 19>
    package typealias SetAdvParametersResponse = Renumbered<FlicProtocol.SetAdvParametersResponse, 20>
}
