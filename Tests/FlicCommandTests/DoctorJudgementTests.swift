import BlueZ
import FlicClient
import FoundationEssentials
import Testing

@testable import flic

@Suite("flic doctor: each cause is told from the others")
struct DoctorJudgementTests {
    @Test("All is well: no problem, no note, nothing skipped")
    func healthy() {
        let findings = DoctorMaterial.facts.bluetoothFindings
        #expect(findings.map(\.check) == [.hardware, .blocking, .bus, .service, .adapter, .version, .power, .links])
        #expect(findings.allSatisfy { $0.severity == .ok && $0.id == "ok" && $0.cure == nil } && findings.exitCode == .done)
    }

    // MARK: From the hardware to the links

    @Test("Bluetooth", arguments: DoctorCase.hardware + DoctorCase.buses + DoctorCase.services + DoctorCase.adapters)
    func bluetooth(_ expected: DoctorCase) throws {
        var facts = DoctorMaterial.facts
        expected.change(&facts)
        let findings = facts.bluetoothFindings
        let finding = try #require(findings.first { $0.check == expected.check })
        Self.check(finding, expected)
        // Whatever is wrong, each check says something, and nothing is said twice.
        #expect(Set(findings.map(\.check)).isSuperset(of: DoctorFacts.bluetoothChecks + [.hardware, .blocking]))
        #expect(Set(findings.map(\.check)).count == findings.count)
    }

    private static func check(_ finding: Finding, _ expected: DoctorCase) {
        #expect(finding.id == expected.id && finding.code == expected.code)
        #expect("\(finding.sentence) \(finding.cure ?? "")".contains(expected.words))
        #expect(finding.sentence.hasSuffix(".") || finding.sentence.hasSuffix(".)"))
        #expect(finding.code == nil || finding.cure != nil)
        #expect(finding.id.wholeMatch(of: /[a-z][A-Za-z]*/) != nil)
    }

    @Test("What stands on something that is missing is skipped, with the reason")
    func skipped() {
        var facts = DoctorMaterial.facts
        facts.bluetooth.bus = .noSocket
        let rest = facts.bluetoothFindings.drop { $0.check != .service }
        #expect(rest.map(\.check) == [.service, .adapter, .version, .power, .links])
        #expect(rest.allSatisfy { $0.severity == .skipped && $0.id == "skipped" && $0.sentence.contains("system bus") })
        facts = DoctorMaterial.facts
        facts.system.switches[0].isSoftBlocked = true
        facts.bluetooth.adapters[0].power = .blocked
        #expect(facts.bluetoothFindings.filter { $0.severity == .skipped }.map(\.check) == [.power, .links])
        #expect(facts.bluetoothFindings.exitCode == .bluetoothUnavailable)
    }

    @Test("The exit code is that of the first problem")
    func exitCode() {
        var facts = DoctorMaterial.facts
        facts.bluetooth.service = .policy
        facts.system.kernel = .missing
        facts.bluetooth.adapters = []
        #expect(facts.bluetoothFindings.exitCode == .bluetoothUnavailable)
        facts.system.kernel = .adapters(["hci0"])
        #expect(facts.bluetoothFindings.exitCode == .denied)
    }

    // MARK: Store

    @Test("The store", arguments: DoctorCase.stores)
    func store(_ expected: DoctorCase) throws {
        var facts = DoctorMaterial.facts
        expected.change(&facts)
        let finding = try #require(facts.storeFindings.first { $0.id == expected.id })
        #expect(finding.check == .store)
        Self.check(finding, expected)
        #expect(facts.storeFindings.first?.check == .store)
    }

    // MARK: Buttons

    @Test("Buttons", arguments: DoctorCase.buttons)
    func button(_ expected: DoctorCase) async throws {
        var facts = DoctorMaterial.facts
        facts.buttons = [await DoctorMaterial.button(try await DoctorMaterial.record())]
        facts.hearing = DoctorFacts.Hearing(time: .seconds(15), deviceCount: 3)
        expected.change(&facts)
        let findings = facts.buttonFindings(without: nil)
        let finding = try #require(findings.first { $0.check == expected.check })
        Self.check(finding, expected)
        #expect(findings.filter { $0.check != .radio }.map(\.check) == [.pairing, .reach, .battery])
        #expect(findings.allSatisfy { $0.check == .radio ? $0.button == nil : $0.button == facts.buttons[0] })
    }

    @Test("A low battery")
    func lowBattery() async throws {
        var record = try await DoctorMaterial.record()
        record.batteryLevel = 711
        record.isBatteryLow = true
        var facts = DoctorMaterial.facts
        facts.buttons = [await DoctorMaterial.button(record)]
        let finding = try #require(facts.buttonFindings(without: nil).first { $0.check == .battery })
        #expect(finding.id == "batteryLow" && finding.severity == .note && finding.cure?.contains("CR2032") == true)
    }

    @Test("Without Bluetooth buttons are not looked for, but what is known of them is said")
    func withoutBluetooth() async throws {
        var facts = DoctorMaterial.facts
        facts.buttons = [await DoctorMaterial.button(try await DoctorMaterial.record())]
        let findings = facts.buttonFindings(without: .power)
        #expect(findings.map(\.id) == ["ok", "skipped", "ok"] && findings[1].sentence.contains("not on"))
    }
}
