import Dispatch
import EventLoops
import Testing

@Suite("Locked")
struct LockedTests {
    @Test("One at a time has the value")
    func exclusion() {
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 8000)
    }

    @Test("An error passes through, as what it is, and the lock is free afterwards")
    func errors() {
        struct Refusal: Error, Equatable { let number: Int }
        let value = Locked(1)
        func refuse() throws(Refusal) -> Int? {
            try value.withLock { (value) throws(Refusal) -> Int? in
                value = 2
                throw Refusal(number: value)
            }
        }
        #expect(throws: Refusal(number: 2)) { try refuse() }
        #expect(value.withLock { $0 } == 2)
    }

    @Test("It takes what cannot be sent, weak references too, and gives back nothing as nothing")
    func references() {
        final class Unsendable {}
        struct Reference { weak var object: Unsendable? }
        let reference = Locked(Reference())
        do {
            let object = Unsendable()
            reference.withLock { $0.object = object }
            #expect(reference.withLock { $0.object } === object)
        }
        #expect(reference.withLock { $0.object } == nil)
    }
}
