import EventLoops
import FlicProtocol
import FoundationEssentials
import GATT
import Logs

/// The buttons and what drives them.
extension Flic {
    /// All paired buttons, in the order of pairing; those whose pairing is void included.
    public var buttons: [FlicButton] { order.compactMap { entries[$0] }.filter { $0.held == nil }.map(\.button) }

    /// Takes a record into the list, in place of an earlier one for the same button.
    func add(_ record: ButtonRecord, as button: FlicButton? = nil) {
        let id = record.identifier
        var connection = ButtonConnection(
            record: record,
            root: configuration.roots[record.product],
            settings: settings,
            rules: configuration.clickRules,
            queuePolicy: configuration.queuePolicy,
            unixTime: configuration.unixTime
        )
        connection.recorder = configuration.recorder
        if configuration.tellsEveryMode { connection.modes = ModeJudges() }
        if let old = entries[id] {
            entries[id] = Entry(button: old.button, connection: connection)
            old.button.update(connection.info)
        } else {
            order.append(id)
            let button = button ?? FlicButton(info: connection.info, flic: self)
            entries[id] = Entry(button: button, connection: connection)
        }
        identifiers[record.address] = id
        planner.note(id, connection.phase, now: loop.now)
    }

    /// Takes a button out of the list. Its sequences end, unless it may come back.
    func remove(_ id: UUID, mayComeBack: Bool = false) {
        guard var entry = entries.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        identifiers[entry.connection.record.address] = nil
        entry.timer.cancel()
        planner.remove(id)
        if !mayComeBack { entry.button.finish() }
        followPlan()
    }

    /// Lets a button's connection do something, and carries out what it answers.
    func update(_ id: UUID, _ body: (inout ButtonConnection, inout [ButtonConnection.Action]) -> Void) {
        guard entries[id] != nil else { return }
        var actions: [ButtonConnection.Action] = []
        swap(&actions, &scratch)  // a nested call finds an empty list and makes its own
        let phase = entries[id]!.connection.phase
        body(&entries[id]!.connection, &actions)
        for action in actions { carryOut(action, for: id) }
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &scratch)
        guard let entry = entries[id] else { return }
        if entry.held == nil { entry.button.update(entry.connection.info) }
        arm(id)
        guard phase != entry.connection.phase else { return }
        planner.note(id, entry.connection.phase, now: loop.now)
        if case .waiting = entry.connection.phase { joinOthers(entry.connection.record.address) }
        followPlan()
    }

    private func carryOut(_ action: ButtonConnection.Action, for id: UUID) {
        switch action {
        case .open: open(id)
        case .write(let frame):
            guard let connection = entries[id]?.connection, let link = connection.linkID else { return }
            write(frame, to: link, of: connection.record.product)
        case .close(let link, let ending): close(link, ending)
        case .tell(let notice, let info):
            if notice.showsUse { planner.used(id, now: loop.now) }
            tell(notice, info, of: id)
        case .save: saveSoon()
        case .keep: keepSoon()
        case .saveLater: saveLater()
        case .firmware(let progress):
            guard let entry = entries[id] else { return }
            entry.button.update(entry.connection.info)
            entry.firmware?.tell(progress)
        case .firmwareEnded(let error):
            entries[id]?.firmware?.finish(throwing: error)
            entries[id]?.firmware = nil
        case .log(let text): configuration.log(.debug, LogArea.session.remark(text, of: entries[id]?.connection.record.serialNumber))
        }
    }

    /// Tells of something, or keeps it until the pairing is stored.
    private func tell(_ notice: ButtonNotice, _ info: ButtonInfo, of id: UUID) {
        guard let entry = entries[id] else { return }
        guard entry.held == nil else {
            entries[id]?.held?.append((notice, info))
            return
        }
        configuration.recorder?.note(.told(notice, serialNumber: info.serialNumber), at: loop.now)
        if let text = notice.remark { configuration.log(.debug, LogArea.session.remark(text, of: info.serialNumber)) }
        entry.button.update(info)
        entry.button.tell(notice)
        observer?(.button(entry.button, notice, info))
    }

    /// The pairing is stored: the button appears, and what was kept is told.
    func release(_ id: UUID, beforeNotices: (FlicButton) -> Void) {
        guard let entry = entries[id], let held = entry.held else { return }
        entries[id]?.held = nil
        if let adopted = entry.adopted { entry.button.update(adopted) }
        beforeNotices(entry.button)
        for (notice, info) in held { tell(notice, info, of: id) }
        if let entry = entries[id] { entry.button.update(entry.connection.info) }
    }

    /// Sets the timer of a button to what its connection waits for.
    private func arm(_ id: UUID) {
        guard let deadline = entries[id]?.connection.deadline else {
            entries[id]?.timer.cancel()
            return
        }
        entries[id]?.timer.set(deadline, on: loop) { [weak self] in
            self?.assumeIsolated { flic in
                flic.entries[id]?.timer.fired()
                let now = flic.loop.now
                flic.update(id) { $0.tick(now: now, random: HostSession.Randomness.fresh, into: &$1) }
            }
        }
    }
}
