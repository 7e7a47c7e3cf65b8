import Fixtures
import FlicProtocol
import Testing

@Suite("Names and requests, random")
struct NameSyncPropertyTests {
    /// A button that answers what it is asked, late and in any order, and that other apps rename as well.
    private struct NamedButton {
        var peer = ScriptedButton()
        var name = "Desk"
        var timestamp: UInt64 = 0
        var unanswered: [[UInt8]] = []

        /// Takes in what the client wants done; false if it may not have sent that.
        mutating func take(_ actions: [HostSession.Action], _ appName: inout String) -> Bool {
            for action in actions {
                switch action {
                case .send(let frame):
                    guard peer.understands(frame) else { return false }
                    let body = Array(frame.dropFirst().dropLast(PacketSigner.tagLength))
                    if body[0] != SetConnectionParametersInd.opcode { unanswered.append(body) }
                case .nameChanged(let name): appName = name.text
                default: break
                }
            }
            return unanswered.count <= 2
        }

        mutating func answer(_ index: Int) -> [[UInt8]] {
            let request = unanswered.remove(at: index)
            switch request[0] {
            case GetBatteryLevelRequest.opcode: return peer.says(peer.battery(800))
            case GetFirmwareVersionRequest.opcode: return peer.says(peer.firmware(10))
            case GetNameRequest.opcode: return peer.says(peer.name(name))
            default:
                if let set = SetNameRequest(body: request.span), set.forceUpdate || set.timestamp > timestamp {
                    name = String(decoding: set.name, as: UTF8.self)
                    timestamp = set.timestamp
                }
                return peer.says(peer.nameSet(name))
            }
        }
    }

    @Test("Two requests wait at most, and in the end all apps see one name", arguments: 0..<500)
    func oneName(seed: UInt64) {
        var random = Random(seed: seed)
        var appName = "Desk"
        let offline = seed % 2 == 0 ? nil : Rename(name: ButtonName("Offline"), timestamp: random.next() % 100)
        if let offline { appName = offline.name.text }
        var button = NamedButton()
        button.timestamp = 50
        var session = button.peer.initialisingClient(ScriptedButton.memory(pendingRename: offline))

        var isRight = true
        func go(_ actions: [HostSession.Action]) {
            isRight = isRight && button.take(actions, &appName)
        }

        go(session.receive(button.peer.says(button.peer.sameBoot())))
        for step in 100..<130 as Range<UInt64> {
            let name = "Name \(random.next() % 4)"
            switch random.next() % 4 {
            case 0:
                appName = name
                go(session.rename(Rename(name: ButtonName(name), timestamp: step)))
            case 1:
                button.name = name
                button.timestamp = step
                go(session.receive(button.peer.says(button.peer.renamed(name))))
            default:
                guard !button.unanswered.isEmpty else { continue }
                go(session.receive(button.answer(Int(random.next() % UInt64(button.unanswered.count)))))
            }
        }
        while !button.unanswered.isEmpty { go(session.receive(button.answer(0))) }
        #expect(isRight)
        #expect(appName == button.name)
        #expect(session.isEstablished)
        #expect(session.deadline == .seconds(60))
    }
}
