import Fixtures
import FoundationEssentials
import FuzzInput

@testable import FlicClient

// Files with pairings that are anybody's: what can be read is written, and read again as the same; encrypted archives, too, as far as they can be looked
// into without a passphrase.
//
// Input: the file.

private func checkButtons(_ bytes: [UInt8]) {
    guard let (records, sequence) = try? StoredButtons.records(in: Data(bytes)) else { return }
    let written = StoredButtons.bytes(of: records, sequence: sequence)
    guard let (again, sameSequence) = try? StoredButtons.records(in: Data(written)) else {
        return hold(false, "\(records) are written as something that cannot be read")
    }
    hold(again == records && sameSequence == sequence, "\(records) are read again as \(again)")
    hold(StoredButtons.bytes(of: again, sequence: sequence) == written, "\(records) are written in two ways")
}

private func checkSealed(_ bytes: [UInt8]) {
    guard let sealed = try? SealedPairings(in: Data(bytes)) else { return }
    let again = try? SealedPairings(in: sealed.data)
    hold(again?.box == sealed.box && again?.salt == sealed.salt && again?.nonce == sealed.nonce, "an archive is written as another one")
    hold(again?.opslimit == sealed.opslimit && again?.memlimit == sealed.memlimit, "an archive is written with other costs")
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkButtons(bytes)
    checkSealed(bytes)
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        let button = """
            {"identifier":"00000000-0000-0000-0000-000000000001","address":"80:E4:DA:12:34:56","addressType":0,\
            "uuid":"b0b1b2b3b4b5b6b7b8b9babbbcbdbebf","serialNumber":"BC00-A00001","name":"Flic 00001",\
            "pairing":"ca1b4599262a6ad0848b23f1c6cc0a1276893805","wantsConnection":true
            """
        let settings = """
            ,"nickname":"Lamp","pendingRenameTime":1700000000000,"firmwareVersion":10,"batteryLevel":853,"batteryTime":1700000000,"isBatteryLow":false,\
            "bootID":270544960,"eventCount":27,"smallEventCount":3,"product":"duo","isAdvertisingConfigured":true,"autoDisconnectTime":511,\
            "isUnpaired":false,"triggerMode":2,"clickLimits":{"doubleClick":0.5,"hold":1},"latency":"low","queuePolicy":"all",\
            "readvertising":{"active":true},"configuredReadvertising":{"mode":"eager"}
            """
        let sealed = """
            {"format":"flickit-pairings","version":1,"kdf":"argon2id","opslimit":3,"memlimit":67108864,"salt":"AAECAwQFBgcICQoLDA0ODw==",\
            "nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","box":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"}
            """
        let pairings = ["full-verify", "quick-verify", "queued-events", "unpaired"].flatMap { JSONValue.vectors("transcript-\($0)").sessions.array }
            .compactMap { $0.secrets.pairing.string }
        let others = pairings.map { button.replacing("ca1b4599262a6ad0848b23f1c6cc0a1276893805", with: $0) + "}" }
        let files = [
            "{\"version\":1,\"buttons\":[]}", "{\"version\":1,\"sequence\":7,\"buttons\":[\(button)}]}",
            "{\"version\":1,\"buttons\":[\(button)\(settings)}]}", "{\"version\":2,\"buttons\":[]}", sealed,
            "{\"version\":1,\"buttons\":[\(others.joined(separator: ","))]}",
        ]
        return files.map { Array($0.utf8) }
    }
}
