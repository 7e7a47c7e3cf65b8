import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("How something stays registered with bluetoothd")
struct PeripheralRegistrationTests {
    private typealias Site = Registration.Site
    private typealias Attempt = Registration.Attempt

    private static let hci0 = Site(adapter: "/org/bluez/hci0", era: 0)
    private static let hci1 = Site(adapter: "/org/bluez/hci1", era: 0)
    private static let hci0Restarted = Site(adapter: "/org/bluez/hci0", era: 1)
    private static let trouble = PeripheralError(.limitReached)

    private static func registered() -> (Registration, Attempt) {
        var registration = Registration()
        _ = registration.move(to: hci0)
        let attempt = Attempt(number: 1, site: hci0)
        _ = registration.answered(attempt, nil)
        return (registration, attempt)
    }

    @Test("It is registered where it belongs, and its owner hears that once")
    func success() {
        var registration = Registration()
        let attempt = Attempt(number: 1, site: Self.hci0)
        #expect(registration.move(to: Self.hci0) == [.register(attempt)])
        #expect(registration.move(to: Self.hci0) == [])
        #expect(registration.answered(attempt, nil) == [.tell(nil)])
        #expect(registration.move(to: Self.hci0) == [])
        #expect(registration.attempt == attempt)
    }

    @Test("A refusal is told and ends it; what was not answered in time is taken back all the same", arguments: [true, false])
    func refusal(isCertain: Bool) {
        var registration = Registration()
        let attempt = Attempt(number: 1, site: Self.hci0)
        _ = registration.move(to: Self.hci0)
        #expect(
            registration.answered(attempt, Self.trouble, isCertain: isCertain) == [
                .unregister(attempt, isKnown: !isCertain), .tell(Self.trouble), .forget,
            ]
        )
    }

    @Test("After a restart of bluetoothd it is registered anew, and nobody is told again")
    func restart() {
        var (registration, first) = Self.registered()
        #expect(registration.move(to: nil) == [.unregister(first, isKnown: false)])
        let second = Attempt(number: 2, site: Self.hci0Restarted)
        #expect(registration.move(to: Self.hci0Restarted) == [.register(second)])
        #expect(registration.answered(second, nil) == [])
    }

    @Test("At another adapter of the same bluetoothd the former one is told")
    func otherAdapter() {
        var (registration, first) = Self.registered()
        let second = Attempt(number: 2, site: Self.hci1)
        #expect(registration.move(to: Self.hci1) == [.unregister(first, isKnown: true), .register(second)])
    }

    @Test("If it fails later, it is tried again, less and less often, until it works")
    func laterFailures() {
        var (registration, _) = Self.registered()
        _ = registration.move(to: nil)
        _ = registration.move(to: Self.hci0Restarted)
        var pauses: [Duration] = []
        for number in 2..<11 {
            let attempt = Attempt(number: number, site: Self.hci0Restarted)
            for case .retryLater(let pause) in registration.answered(attempt, Self.trouble) { pauses.append(pause) }
            #expect(registration.retry() == [.register(Attempt(number: number + 1, site: Self.hci0Restarted))])
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 320, 320, 320].map { .seconds($0) })
        #expect(registration.answered(Attempt(number: 11, site: Self.hci0Restarted), nil) == [])
        #expect(registration.retry() == [])
    }

    @Test("D57: what bluetoothd drops by itself comes back")
    func released() {
        var (registration, first) = Self.registered()
        #expect(registration.released(Attempt(number: 7, site: Self.hci0)) == [])
        #expect(registration.released(first) == [.unregister(first, isKnown: false), .retryLater(.seconds(5))])
        #expect(registration.retry() == [.register(Attempt(number: 2, site: Self.hci0))])
    }

    @Test("The adapter goes while bluetoothd has not answered: the owner is told, and it is over")
    func adapterGone() {
        var registration = Registration()
        let attempt = Attempt(number: 1, site: Self.hci0)
        _ = registration.move(to: Self.hci0)
        #expect(registration.move(to: nil) == [])
        #expect(
            registration.answered(attempt, PeripheralError(.failed)) == [
                .unregister(attempt, isKnown: false), .tell(PeripheralError(.notPoweredOn)), .forget,
            ]
        )
    }

    @Test("bluetoothd restarts before it has answered: tried again in its next life")
    func restartWhileRegistering() {
        var registration = Registration()
        let attempt = Attempt(number: 1, site: Self.hci0)
        _ = registration.move(to: Self.hci0)
        _ = registration.move(to: nil)
        _ = registration.move(to: Self.hci0Restarted)
        #expect(
            registration.answered(attempt, PeripheralError(.failed)) == [
                .unregister(attempt, isKnown: false), .register(Attempt(number: 2, site: Self.hci0Restarted)),
            ]
        )
    }

    @Test("Withdrawn once registered, bluetoothd is told")
    func withdrawal() {
        var (registration, attempt) = Self.registered()
        #expect(registration.withdraw() == [.unregister(attempt, isKnown: true), .forget])
        #expect(registration.withdraw() == [])
    }

    @Test("Withdrawn while bluetoothd has not answered, it is undone when the answer comes", arguments: [nil, PeripheralError(.failed)])
    func withdrawalWhileRegistering(error: PeripheralError?) {
        var registration = Registration()
        let attempt = Attempt(number: 1, site: Self.hci0)
        _ = registration.move(to: Self.hci0)
        #expect(registration.withdraw() == [.tell(PeripheralError(.withdrawn))])
        #expect(registration.answered(attempt, error) == [.unregister(attempt, isKnown: error == nil), .forget])
    }

    @Test("Whatever happens in whatever order, the owner is told at most once, and objects are taken back before others are made")
    func anyOrder() {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var registration = Registration()
            var told = 0
            var exported: Attempt?
            var latest = Attempt(number: 1, site: Self.hci0)
            var isOver = false
            for _ in 0..<20 where !isOver {
                let actions =
                    switch Int.random(in: 0..<8, using: &generator) {
                    case 0, 1: registration.move(to: [Self.hci0, Self.hci1, Self.hci0Restarted].randomElement(using: &generator))
                    case 2: registration.move(to: nil)
                    case 3: registration.answered(latest, Self.trouble, isCertain: .random(using: &generator))
                    case 4: registration.answered(latest, nil)
                    case 5: registration.released(latest)
                    case 6: registration.retry()
                    default: registration.withdraw()
                    }
                for action in actions {
                    switch action {
                    case .register(let attempt):
                        #expect(exported == nil && attempt.number >= latest.number)
                        exported = attempt
                        latest = attempt
                    case .unregister(let attempt, _):
                        #expect(exported == attempt)
                        exported = nil
                    case .tell: told += 1
                    case .forget:
                        #expect(exported == nil && told == 1)
                        isOver = true
                    case .retryLater: #expect(exported == nil)
                    }
                }
            }
            #expect(told <= 1)
        }
    }
}
