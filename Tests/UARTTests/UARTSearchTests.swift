import GATT
import Testing

@testable import UART

@Suite("What a client does next")
struct UARTSearchTests {
    private let device = BluetoothAddress(value: 1)

    private func connected(_ choice: UARTChoice = .named("A"), keeps: Bool = true) -> UARTSearch {
        var search = UARTSearch()
        search.keepsConnected = keeps
        _ = search.power(true)
        _ = search.connect(choice)
        _ = search.found(device)
        _ = search.ready()
        return search
    }

    @Test("The way to a connection: the search ends when the link is made (C23)")
    func way() {
        var search = UARTSearch()
        let steps = [search.connect(.any), search.power(true), search.found(device), search.ready()]
        #expect(steps == [[], [.tell(.searching), .listen], [.stopListening, .open(device)], [.tell(.connected)]])
    }

    @Test("C21: after a loss the same device is searched for")
    func loss() {
        var search = connected()
        let actions = search.closed()
        #expect(actions == [.tell(.idle), .tell(.searching), .listen])
        #expect(search.choice == .named("A"))
    }

    @Test("A loss is the end where connections are not kept")
    func notKept() {
        var search = connected(keeps: false)
        let actions = [search.closed(), search.power(false), search.power(true)]
        #expect(actions == [[.tell(.idle)], [], []])
    }

    @Test("C32: a failure is followed by a pause, longer each time, and another search, kept or not", arguments: [true, false])
    func failures(keeps: Bool) {
        var search = UARTSearch()
        search.keepsConnected = keeps
        _ = search.power(true)
        _ = search.connect(.any)
        for (number, seconds) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
            _ = search.found(device)
            let closed = search.closed()
            #expect(closed == [.pause(.seconds(seconds), number + 1)])
            let early = search.pauseIsOver(number)
            #expect(early == [], "that of an earlier pause")
            let over = search.pauseIsOver(number + 1)
            #expect(over == [.listen])
        }
    }

    @Test("A device that was connected to see whether it has the service, and has not, does not keep the search waiting")
    func inVain() {
        var search = UARTSearch()
        _ = search.power(true)
        _ = search.connect(.any)
        _ = search.found(device)
        let closed = search.closed(wasInVain: true)
        #expect(closed == [.listen])
    }

    @Test("C31: without power nothing is done; what is wished for is done when it returns")
    func power() {
        var search = connected()
        let steps = [search.power(false), search.closed(), search.power(true)]
        #expect(steps == [[], [.tell(.idle)], [.tell(.searching), .listen]])
        let off = search.power(false)
        #expect(off == [.stopListening, .tell(.idle)])
    }

    @Test("C31: a connection that is asked for waits for power, kept or not")
    func pending() {
        var search = UARTSearch()
        search.keepsConnected = false
        _ = search.power(true)
        _ = search.connect(.named("A"))
        _ = search.power(false)
        let back = search.power(true)
        #expect(back == [.tell(.searching), .listen])
    }

    @Test("A search that nobody asked for ends with the power where connections are not kept")
    func unasked() {
        var search = UARTSearch()
        _ = search.power(true)
        _ = search.resume()
        search.keepsConnected = false
        _ = search.power(false)
        let back = search.power(true)
        #expect(back == [])
    }

    @Test("C33, C34: what was searched for is forgotten by a disconnect, of a link or of a search")
    func disconnect() {
        var search = connected()
        let steps = [search.disconnect(), search.closed(), search.resume()]
        #expect(steps == [[.close], [.tell(.idle)], [.tell(.searching), .listen]])
        #expect(search.choice == .any)
        let end = search.disconnect()
        #expect(end == [.stopListening, .tell(.idle)])
        let again = search.disconnect()
        #expect(again == [])
    }

    @Test("C35: a wish is without effect while there is a connection")
    func whileConnected() {
        var search = connected()
        let actions = search.connect(.named("B"))
        #expect(actions == [])
        #expect(search.choice == .named("A"))
    }

    @Test("A new wish replaces one that has not been fulfilled: the link that is being made for it ends")
    func replaced() {
        var search = UARTSearch()
        _ = search.power(true)
        _ = search.connect(.named("A"))
        let other = search.connect(.named("B"))
        #expect(other == [.listen])
        _ = search.found(device)
        let third = [search.connect(.named("B")), search.connect(.named("C")), search.closed()]
        #expect(third == [[], [.close], [.listen]])
        #expect(search.choice == .named("C"))
    }

    @Test("A link that is closed here is made anew if it is to be kept")
    func hangUp() {
        var search = connected()
        let steps = [search.hangUp(), search.hangUp(), search.closed()]
        #expect(steps == [[.close], [], [.tell(.searching), .listen]])
        var other = connected(keeps: false)
        let end = [other.hangUp(), other.closed()]
        #expect(end == [[.close], [.tell(.idle)]])
    }

    @Test("C20, C22, C27: which device is meant")
    func matching() {
        #expect(UARTChoice(name: "") == .any && UARTChoice(name: "A") == .named("A"))
        #expect(UARTChoice.any.matches(device, name: nil) && UARTChoice.any.matches(device, name: "A"))
        #expect(UARTChoice.named("A").matches(device, name: "A"))
        #expect(!UARTChoice.named("A").matches(device, name: nil) && !UARTChoice.named("A").matches(device, name: "a"))
        #expect(UARTChoice.address(device).matches(BluetoothAddress(kind: .random, value: 1), name: nil))
        #expect(!UARTChoice.address(device).matches(BluetoothAddress(value: 2), name: "A"))
    }
}
