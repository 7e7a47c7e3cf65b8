import FlicKit
import Foundation
import Testing

/// Which case has which number, as the headers count them.
@Suite("Constants")
struct ConstantsTests {
    @Test("B1, B2, B3: domains and version")
    func constants() {
        #expect(FLICErrorDomain == "com.shortcutlabs.flic2lib")
        #expect(FLICButtonScannerErrorDomain == "com.shortcutlabs.flic2lib.buttonscanner")
        #expect(flic2libVersionNumber == 1.4)
    }

    @Test("A3, A4, B5-B9: the enums count from 0 in the order of the headers, and know no more cases")
    func enums() {
        func names<Value: RawRepresentable<Int>>(_ type: Value.Type) -> [String] {
            #expect(Value(rawValue: -1) == nil)
            let values = (0..<32).map { Value(rawValue: $0) }
            #expect(values.drop { $0 != nil }.allSatisfy { $0 == nil })
            return values.compactMap { $0.map { "\($0)" } }
        }
        #expect(names(FLICManagerState.self) == ["unknown", "resetting", "unsupported", "unauthorized", "poweredOff", "poweredOn"])
        #expect(names(FLICButtonScannerStatusEvent.self) == ["discovered", "connected", "verified", "verificationFailed"])
        #expect(names(FLICButtonState.self) == ["disconnected", "connecting", "connected", "disconnecting"])
        #expect(names(FLICButtonTriggerMode.self) == ["clickAndHold", "clickAndDoubleClick", "clickAndDoubleClickAndHold", "click"])
        #expect(names(FLICLatencyMode.self) == ["normal", "low"])
        #expect(
            names(FLICError.self) == [
                "unknown", "notConfigured", "couldNotDiscoverBluetoothServices", "verificationSignatureMismatch", "invalidUuid",
                "genuineCheckFailed", "tooManyApps", "unpaired", "unsupportedOSVersion", "alreadyForgotten",
            ]
        )
        #expect(
            names(FLICButtonScannerErrorCode.self) == [
                "unknown", "bluetoothNotActivated", "noPublicButtonDiscovered", "blePairingFailedPreviousPairingAlreadyExisting",
                "blePairingFailedUserCanceled", "blePairingFailedUnknownReason", "appCredentialsDontMatch", "userCanceled",
                "invalidBluetoothAddress", "genuineCheckFailed", "alreadyConnectedToAnotherDevice", "tooManyApps", "couldNotSetBluetoothNotify",
                "couldNotDiscoverBluetoothServices", "buttonDisconnectedDuringVerification", "connectionTimeout", "failedToEstablish",
                "connectionLimitReached", "invalidVerifier", "notInPublicMode",
            ]
        )
    }

    @Test("A5: the enums are Hashable and Sendable, and have no description of their own")
    func conformances() {
        func check<Value: Hashable & Sendable>(_ value: Value) {
            #expect(!(value is any CustomStringConvertible))
            #expect(!(value is any Error))
            #expect(!(value is any Codable))
            #expect(!(value is any Comparable))
            #expect(!(value is any CaseIterable))
        }
        check(FLICManagerState.poweredOn)
        check(FLICButtonScannerStatusEvent.verified)
        check(FLICButtonState.connected)
        check(FLICButtonTriggerMode.click)
        check(FLICLatencyMode.low)
        check(FLICError.unpaired)
        check(FLICButtonScannerErrorCode.userCanceled)
    }
}
