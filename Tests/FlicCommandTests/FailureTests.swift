import FlicClient
import Testing

@testable import flic

@Suite("Failures")
struct FailureTests {
    @Test(
        "Each failure with a button has its exit code, and a sentence that says what to do",
        arguments: [
            (FlicError.Code.bluetoothUnavailable, ExitCode.bluetoothUnavailable), (.systemTooOld, .bluetoothUnavailable), (.alreadyPairing, .failed),
            (.cancelled, .interrupted), (.noButtonFound, .noButtonFound), (.connectedElsewhere, .refused), (.timedOut, .timedOut),
            (.connectFailed, .failed), (.connectionLimitReached, .failed), (.serviceNotFound, .failed), (.notifyRefused, .failed),
            (.bondingRequired, .failed), (.linkLost, .failed), (.wrongAddress, .failed), (.notGenuine, .failed), (.invalidVerifier, .failed),
            (.notInPublicMode, .refused), (.wrongBrand, .refused), (.tooManyApps, .refused), (.signatureMismatch, .failed), (.invalidUUID, .failed),
            (.unpaired, .notPaired), (.alreadyForgotten, .notPaired), (.storeFailed, .failed),
        ]
    )
    func buttons(error: FlicError.Code, code: ExitCode) {
        let failure = Failure(FlicError(error, detail: "the details."))
        #expect(failure.code == code && failure.reason == error.rawValue && failure.message.hasSuffix("."))
    }

    @Test(
        "Each state of Bluetooth in which nothing can be done has its exit code and a cure",
        arguments: [
            (CentralState.unknown, ExitCode.bluetoothUnavailable, "flic doctor"),
            (.unsupported(.missing), .bluetoothUnavailable, "flic doctor"), (.unsupported(.tooOld), .bluetoothUnavailable, "BlueZ"),
            (.unauthorized, .denied, "policy"), (.poweredOff, .bluetoothUnavailable, "bluetoothctl power on"),
            (.resetting, .bluetoothUnavailable, "--wait"),
        ]
    )
    func states(state: CentralState, code: ExitCode, cure: String) throws {
        let failure = try #require(Failure(state, problem: nil))
        #expect(failure.code == code && failure.message.contains(cure))
        #expect(Failure(.poweredOn, problem: nil) == nil)
    }

    @Test("The transport's own sentence is used", arguments: [CentralState.unsupported(.missing), .unauthorized, .poweredOff])
    func problem(state: CentralState) throws {
        let failure = try #require(Failure(state, problem: "There is no Bluetooth adapter hci7."))
        #expect(failure.message.hasPrefix("There is no Bluetooth adapter hci7."))
    }

    @Test(
        "Pairings that cannot be exported or imported",
        arguments: [
            (PairingArchiveError.Code.emptyPassphrase, ExitCode.failed, "."), (.passphraseNeeded, .usage, "--passphrase-file"),
            (.wrongPassphrase, .failed, "."), (.notEncrypted, .failed, "trust"), (.damaged, .failed, "."), (.tooLarge, .failed, "."),
            (.newerVersion, .failed, "version"), (.tooCostly, .failed, "."), (.outOfMemory, .failed, "."),
        ]
    )
    func archives(error: PairingArchiveError.Code, code: ExitCode, word: String) {
        let failure = Failure(PairingArchiveError(error, "The cause is this."))
        #expect(failure.code == code && failure.reason == error.rawValue && failure.message.contains(word))
        #expect(failure.message.hasPrefix("The cause is this") && failure.message.count { $0 == "." } == 1)
    }

    @Test(
        "A store that cannot be used",
        arguments: [
            (PairingStoreError.Code.inUse, ExitCode.failed, "--store"), (.denied, .denied, "mode"), (.newerVersion, .failed, "version"),
            (.failed, .failed, "disk full"),
        ]
    )
    func stores(error: PairingStoreError.Code, code: ExitCode, word: String) {
        let failure = Failure(PairingStoreError(error, "It could not be used: disk full."))
        #expect(failure.code == code && failure.message.contains(word) && failure.message.contains("disk full"))
    }
}
