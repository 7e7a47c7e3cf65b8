import EventLoops
import Glibc
import Testing

@testable import nus

@Suite("Reading as asked", .timeLimit(.minutes(1)))
struct ByteReaderTests {
    @Test("A wait that is cut short loses nothing: the next one gets what came meanwhile")
    func cancelled() async {
        let pipe = Pipe()
        let reader = ByteReader(pipe.reading)
        let first = Task { await reader.next() }
        // Let it begin to wait, or cancel it before: both must lose nothing.
        await Task.yield()
        first.cancel()
        #expect(await first.value == nil)
        pipe.write([1, 2])
        #expect(await reader.next() == [1, 2])
    }

    @Test("Many waits, half of them cut short: all bytes, in order")
    func often() async {
        let pipe = Pipe()
        let reader = ByteReader(pipe.reading)
        var received: [UInt8] = []
        for number in 0..<200 as Range<UInt8> {
            let wait = Task { await reader.next() }
            if number.isMultiple(of: 2) { await Task.yield() }
            pipe.write([number])
            wait.cancel()
            received += await wait.value ?? []
        }
        while received.count < 200, let bytes = await reader.next() { received += bytes }
        #expect(received == Array(0..<200))
    }

    @Test("What is put back comes first")
    func putBack() async {
        let pipe = Pipe()
        let reader = ByteReader(pipe.reading)
        pipe.write([3])
        #expect(await reader.next() == [3])
        reader.putBack([1, 2])
        #expect(await reader.next() == [1, 2])
        let waiting = Task { await reader.next() }
        await Task.yield()
        reader.putBack([4])
        #expect(await waiting.value == [4])
    }

    @Test("The end is told, as often as it is asked for")
    func end() async {
        let reader = ByteReader(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)))
        #expect(await reader.next() == nil)
        #expect(await reader.next() == nil)
    }
}
