import EventLoops
import GATT
import Testing

@Suite("A central where there is no Bluetooth")
struct AbsentCentralTests {
    @Test("Its state is unsupported, and links are closed, never inside the call")
    func unsupported() async throws {
        let central = AbsentCentral()
        let states = AsyncStream.makeStream(of: CentralState.self)
        await central.start { event in if case .state(let state) = event { states.continuation.yield(state) } }
        var iterator = states.stream.makeAsyncIterator()
        #expect(await iterator.next() == .unsupported(.missing))

        let ends = AsyncStream.makeStream(of: LinkError.Code?.self)
        let uuid = BluetoothUUID(assigned: 0x180A)
        let request = LinkRequest(address: .init(value: 1), service: uuid, notifying: [], writable: [], timeout: .seconds(1))
        let first = await central.open(request) { event in if case .closed(let error) = event { ends.continuation.yield(error?.code) } }
        let second = await central.open(request) { _ in }
        #expect(first != second)
        var codes = ends.stream.makeAsyncIterator()
        #expect(await codes.next() == .some(.notPoweredOn))
    }
}
