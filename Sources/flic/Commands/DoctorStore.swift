import FlicClient
import FoundationEssentials

/// Judges the store. Pure: facts in, findings out.
extension DoctorFacts {
    /// Less room than this is worth a word: pairings are small, but their files are always written anew.
    private static let littleSpace: UInt64 = 16 << 20
    /// Less than this may not be enough for it, in bytes.
    private static let noSpace: UInt64 = 128 << 10

    var storeFindings: [Finding] {
        switch store {
        case .failure(let error):
            let cure = "Set HOME, or name a directory with '--store'."
            return [.problem(.store, error.code == .denied ? .denied : .failed, "storeUnknown", error.description.printable, cure: cure)]
        case .success(let facts):
            return [contents(facts)] + [obstacle(facts), holder(facts), foreign(facts), exposed(facts), space(facts)].compactMap(\.self)
        }
    }

    private func contents(_ facts: StoreFacts) -> Finding {
        let place = facts.directory.path.printable
        let again = "Take a good copy of it, or the pairings that were exported ('flic import'), or pair the buttons anew."
        switch facts.contents {
        case .none:
            return .note(.store, "nothingPaired", "No buttons are paired yet; they will be kept in \(place).", cure: "'flic pair' pairs one.")
        case .records(let records) where records.isEmpty:
            return .note(.store, "nothingPaired", "No buttons are paired, in \(place).", cure: "'flic pair' pairs one.")
        case .records(let records):
            return .ok(.store, "\(Self.count(records.count, "button")) paired, in \(place).")
        case .damaged(let copy?):
            let sentence = "\(place)/buttons.json is damaged; the copy from before is used, in which \(Self.count(copy.count, "button")) paired."
            return .note(.store, "damaged", sentence, cure: "Nothing has to be done: the next command puts the damaged file aside.")
        case .damaged(nil):
            let sentence = "\(place)/buttons.json is damaged, and there is no good copy of it."
            return .problem(.store, .failed, "damaged", sentence, cure: again)
        case .newerVersion:
            let cure = "Use that version, or another directory with '--store'."
            return .problem(.store, .failed, "storeTooNew", "The buttons in \(place) were stored by a newer version of this program.", cure: cure)
        case .unreadable(let error):
            let code: ExitCode = error.code == .denied ? .denied : .failed
            return .problem(.store, code, "unreadable", error.description.printable.withoutFullStop + ".", cure: Self.ownership(place))
        }
    }

    private func obstacle(_ facts: StoreFacts) -> Finding? {
        if case .unreadable = facts.contents { return nil }  // says the same, or more
        guard let error = facts.obstacle else { return nil }
        let code: ExitCode = error.code == .denied ? .denied : .failed
        return .problem(
            .store,
            code,
            "notWritable",
            error.description.printable.withoutFullStop + ".",
            cure: Self.ownership(facts.directory.path.printable)
        )
    }

    private func holder(_ facts: StoreFacts) -> Finding? {
        guard let holder = facts.holder else { return nil }
        let name = holder.name.isEmpty ? "another program" : holder.name.printable
        return .note(.store, "inUse", "In use by \(name) (process \(holder.process)), as it should be while that connects the buttons.")
    }

    private func foreign(_ facts: StoreFacts) -> Finding? {
        guard !facts.foreign.isEmpty else { return nil }
        let sentence = "Another user owns \(Self.list(facts.foreign))."
        return .note(.store, "foreign", sentence, cure: Self.ownership(facts.directory.path.printable))
    }

    private func exposed(_ facts: StoreFacts) -> Finding? {
        guard !facts.exposed.isEmpty else { return nil }
        let sentence = "Others may read or change \(Self.list(facts.exposed)), where pairing keys are."
        let paths = facts.exposed.map { "'\($0.printable)'" }.joined(separator: " ")
        return .note(.store, "exposed", sentence, cure: "chmod go-rwx \(paths)")
    }

    private func space(_ facts: StoreFacts) -> Finding? {
        guard let free = facts.freeBytes, free < Self.littleSpace else { return nil }
        let sentence = "\(free / 1024) KiB are free where buttons are kept."
        let cure = "Make room there, or name another directory with '--store'."
        if free < Self.noSpace { return .problem(.store, .failed, "diskFull", sentence, cure: cure) }
        return .note(.store, "diskAlmostFull", sentence, cure: cure)
    }

    private static func ownership(_ place: String) -> String {
        "See 'ls -la \(place)'. Run flic as the user who paired, or give him the files ('sudo chown -R NAME'), or use '--store'."
    }
}
