import FlicClient
import FlicKit
import Foundation
import GATT
import Testing

@Suite("Errors")
struct ErrorTests {
    /// Everything that a program can be handed, by construction.
    static var all: [NSError] {
        (0..<10).compactMap { FLICError(rawValue: $0).map { NSError($0) } }
            + (0..<20).compactMap { FLICButtonScannerErrorCode(rawValue: $0).map { NSError($0) } }
            + [NSError.linkLoss(LinkError(.timeout)), NSError.linkLoss(LinkError(.closedByPeer))]
    }

    @Test("A30, A33, B9a: every error has a sentence of its own, without numbers or paths, which is its localizedDescription")
    func sentences() {
        #expect(Self.all.count == 32)
        for error in Self.all {
            let sentence = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
            #expect(sentence.wholeMatch(of: /[A-Z][A-Za-z' ]+\./) != nil, "\(error)")
            #expect(error.localizedDescription == sentence)
            #expect((error as any Error).localizedDescription == sentence)
        }
    }

    @Test("A31: errors are NSError with domain and code; the code enums are no errors")
    func casts() {
        let error: any Error = NSError(FLICError.unpaired)
        let nsError = error as NSError
        #expect(nsError.domain == FLICErrorDomain && nsError.code == FLICError.unpaired.rawValue)
        #expect((error as Any) as? FLICError == nil)
        let scanError: any Error = NSError(FLICButtonScannerErrorCode.userCanceled)
        #expect((scanError as NSError).domain == FLICButtonScannerErrorDomain && (scanError as NSError).code == 7)
        #expect((nil as (any Error)?) as NSError? == nil)
    }

    @Test("A33: the cause lies underneath, and nothing of it is in the sentence")
    func cause() {
        let cause = FlicError(.storeFailed, detail: "/home/somebody/buttons.json: disk full")
        for error in [NSError.failure(cause), NSError.scanFailure(cause)] {
            #expect(error.code == 0)
            #expect((error.userInfo[NSUnderlyingErrorKey] as? FlicError)?.detail == cause.detail)
            #expect(!error.localizedDescription.contains("/"))
        }
    }

    @Test(
        "B10, B.8: codes of failures to connect or forget",
        arguments: [
            (FlicError.Code.serviceNotFound, FLICError.couldNotDiscoverBluetoothServices), (.signatureMismatch, .verificationSignatureMismatch),
            (.invalidUUID, .invalidUuid), (.notGenuine, .genuineCheckFailed), (.tooManyApps, .tooManyApps), (.unpaired, .unpaired),
            (.systemTooOld, .unsupportedOSVersion), (.alreadyForgotten, .alreadyForgotten), (.storeFailed, .unknown),
        ]
    )
    func failures(code: FlicError.Code, expected: FLICError) {
        let error = NSError.failure(FlicError(code))
        #expect(error.domain == FLICErrorDomain && error.code == expected.rawValue)
    }

    @Test(
        "B62: the reasons of a lost link are CoreBluetooth's",
        arguments: [(LinkError.Code.timeout, 6), (.notPoweredOn, 6), (.closedByPeer, 7), (.failed, 7)]
    )
    func linkLoss(code: LinkError.Code, number: Int) {
        let error = NSError.linkLoss(LinkError(code, detail: "org.bluez.Error.Failed"))
        #expect(error.domain == "CBErrorDomain" && error.code == number)
    }
}
