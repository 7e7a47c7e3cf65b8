import Testing

@testable import CoreBluetooth

@Suite("Errors")
struct ErrorTests {
    /// Each code once, and a number without a name.
    static var all: [any Error] {
        (0..<19).compactMap { CBError.Code(rawValue: $0).map { CBError($0) } }
            + (0..<19).compactMap { CBATTError.Code(rawValue: $0).map { CBATTError($0) } }
    }

    @Test("A30, A33: every error has a sentence of its own, without numbers or paths, which is its localizedDescription")
    func sentences() {
        #expect(Self.all.count == 38)
        for error in Self.all {
            let bridged = error as NSError
            let sentence = bridged.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
            #expect(sentence.wholeMatch(of: /[A-Z][A-Za-z' ]+\./) != nil, "\(error)")
            #expect(error.localizedDescription == sentence && bridged.localizedDescription == sentence)
        }
        let sentences = Self.all.map(\.localizedDescription)
        #expect(Set(sentences[..<19]).count == 19 && Set(sentences[19...]).count == 19)
    }

    @Test("A30, D70: as NSError they have domain and code, optional or not")
    func bridging() {
        let error: any Error = CBError(.outOfSpace)
        #expect((error as NSError).domain == "CBErrorDomain" && (error as NSError).code == 4)
        let optional: (any Error)? = CBATTError(.unlikelyError)
        #expect((optional as NSError?)?.domain == "CBATTErrorDomain" && (optional as NSError?)?.code == 14)
        #expect(CBError.errorDomain == CBErrorDomain && CBATTError.errorDomain == CBATTErrorDomain)
        #expect(CBError(.connectionTimeout).localizedDescription == "The connection has timed out unexpectedly.")
    }

    @Test("A32: errors are caught by their code, and by no other")
    func catching() {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch CBError.alreadyAdvertising {
                return "alreadyAdvertising"
            } catch CBATTError.invalidOffset {
                return "invalidOffset"
            } catch let error as CBError where error.code == .outOfSpace {
                return "outOfSpace"
            } catch {
                return "other"
            }
        }
        #expect(caught(CBError(.alreadyAdvertising)) == "alreadyAdvertising")
        #expect(caught(CBATTError(.invalidOffset)) == "invalidOffset")
        #expect(caught(CBError(.outOfSpace)) == "outOfSpace")
        #expect(caught(CBError(.peripheralDisconnected)) == "other")  // 7, as invalidOffset is
        #expect(caught(CBATTError(.prepareQueueFull)) == "other")  // 9, as alreadyAdvertising is
        #expect(caught(NSError(domain: "other", code: 9)) == "other")
    }

    @Test("A32: errors are matched by if case, through an optional cast")
    func matching() {
        func isFull(_ error: (any Error)?) -> Bool {
            if case CBError.outOfSpace? = error as? CBError { return true }
            return false
        }
        #expect(isFull(CBError(.outOfSpace)) && !isFull(CBError(.unknown)) && !isFull(nil))
        #expect((CBError(.unknown) as any Error) as? CBATTError == nil)
    }

    @Test("A32: a name for each code stands in the struct, too")
    func names() {
        #expect(CBError.unknown == .unknown && CBError.leGattNearBackgroundNotificationLimit.rawValue == 18)
        #expect(CBATTError.success == .success && CBATTError.insufficientResources.rawValue == 17)
    }

    @Test("D71: the misspelt code and the right one are the same")
    func unknownDevice() {
        #expect(CBError.Code.unkownDevice == .unknownDevice && CBError.unkownDevice == CBError.unknownDevice)
        #expect(CBError.Code.unknownDevice.rawValue == 12)
        switch CBError.Code.unkownDevice {
        case .unknownDevice: break
        default: Issue.record("The alias does not match.")
        }
    }

    @Test("D72: codes of the attribute protocol have their numbers")
    func attributeCodes() {
        let names = (0..<18).compactMap { CBATTError.Code(rawValue: $0).map { "\($0)" } }
        #expect(
            names == [
                "success", "invalidHandle", "readNotPermitted", "writeNotPermitted", "invalidPdu", "insufficientAuthentication",
                "requestNotSupported", "invalidOffset", "insufficientAuthorization", "prepareQueueFull", "attributeNotFound", "attributeNotLong",
                "insufficientEncryptionKeySize", "invalidAttributeValueLength", "unlikelyError", "insufficientEncryption",
                "unsupportedGroupType", "insufficientResources",
            ]
        )
    }

    @Test("D73: a code holds any number and gives it back", arguments: [Int.min, -1, 0, 17, 18, 0x80, 0x9F, 0xFF, 0x100, Int.max])
    func anyNumber(_ number: Int) throws {
        let code = try #require(CBATTError.Code(rawValue: number))
        #expect(code.rawValue == number && CBATTError(code).errorCode == number)
        // Written by hand or made from the number, it is the same.
        #expect(CBATTError.Code._other(number) == code && CBATTError.Code._other(number).hashValue == code.hashValue)
        #expect(CBATTError.Code._other(number &+ 1) != code)
    }
}
