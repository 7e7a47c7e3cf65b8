public import FoundationEssentials

/// Taking pairings to another machine, or back from a backup: no button needs to be held down again.
///
/// Two machines should not use the same pairing at once: a button ends the session of the one when that of the other begins
/// (protocol 6.6), and presses are told to either, not to both.
extension Flic {
    /// What came of an import.
    public struct ImportResult: Sendable {
        /// The buttons that are paired now, or whose void pairing was replaced.
        public let added: [FlicButton]
        /// The buttons that were left alone because they were known already: with a valid pairing, or with a void one like that of the import.
        public let passedOver: [FlicButton]
    }

    /// Encrypts pairings with a passphrase, for ``importPairings(_:passphrase:)``.
    ///
    /// With a pairing go the name, the settings, the wish to be connected, and the position in the button's events, so that no press that was
    /// told here is told again elsewhere. A void pairing is exported, too, and stays void. Takes 64 MiB of memory and about a second, on a
    /// queue of its own; events go on meanwhile.
    ///
    /// - Parameters:
    ///   - buttons: nil for all.
    ///   - passphrase: Not empty.
    /// - Returns: JSON; ``PairingArchive`` tells its members.
    /// - Throws: ``FlicError`` `alreadyForgotten` for a button that is not, or no longer, paired, or `storeFailed` if the store could not be
    ///   read; ``PairingArchiveError`` `emptyPassphrase` or `outOfMemory`.
    public func exportPairings(of buttons: [FlicButton]? = nil, passphrase: String) async throws -> Data {
        try await PairingArchive.encrypted(try await records(of: buttons), passphrase: passphrase)
    }

    /// Exports pairings as ``exportPairings(of:passphrase:)`` does, but with the **secrets readable**: see ``PairingArchive/plain(_:)``.
    ///
    /// - Parameter buttons: nil for all.
    /// - Throws: ``FlicError`` `alreadyForgotten` for a button that is not, or no longer, paired, or `storeFailed` if the store could not be read.
    public func exportPairingsInPlain(of buttons: [FlicButton]? = nil) async throws -> Data {
        PairingArchive.plain(try await records(of: buttons))
    }

    /// Takes exported pairings over. When it returns they are stored, and the buttons are connected like any others, if that was
    /// wished for where they were exported.
    ///
    /// A button that is known here already keeps its pairing, unless that is void and the imported one is not: then it is replaced, as if it were
    /// paired anew. New buttons get the identifiers of this machine.
    ///
    /// - Parameters:
    ///   - data: At most 16 MiB, from anybody: all of it is checked.
    ///   - passphrase: That of the export; nil if it is not encrypted.
    /// - Throws: ``PairingArchiveError``, ``FlicError`` `storeFailed`, or `cancelled` after ``stop()``. Then nothing has changed.
    public func importPairings(_ data: Data, passphrase: String?) async throws -> ImportResult {
        await start()
        let imported = try await PairingArchive.records(in: data, passphrase: passphrase).map { record in
            var record = record
            record.identifier =
                identifiers[record.address] ?? ButtonIdentifier.make(machine: configuration.machineIdentity, address: record.address)
            return record
        }
        guard case .running = phase else { throw FlicError(.cancelled) }
        let wanted = imported.filter(isWanted)
        if !wanted.isEmpty {
            do {
                try await save(importing: wanted)
            } catch {
                throw FlicError(.storeFailed, detail: error.description)
            }
        }
        let added = wanted.filter(isWanted).compactMap(adopt)  // fewer if one was paired meanwhile
        if !added.isEmpty {
            observer?(.buttonsChanged(buttons))
            followPlan()
        }
        let known = Set(imported.map(\.identifier)).subtracting(added.map(\.identifier))
        return ImportResult(added: added, passedOver: buttons.filter { known.contains($0.identifier) })
    }

    /// Whether an imported record is that of a new button, or can replace one whose pairing is void.
    func isWanted(_ record: ButtonRecord) -> Bool {
        guard let known = entries[record.identifier]?.connection.record else { return true }
        return known.isUnpaired && !record.isUnpaired
    }

    /// Takes a stored record into the list.
    private func adopt(_ record: ButtonRecord) -> FlicButton? {
        remove(record.identifier)
        add(record)
        return entries[record.identifier]?.button
    }

    private func records(of buttons: [FlicButton]?) async throws(FlicError) -> [ButtonRecord] {
        await start()
        if let storeProblem { throw FlicError(.storeFailed, detail: storeProblem.description) }
        let chosen = buttons ?? self.buttons
        guard chosen.allSatisfy({ entries[$0.identifier]?.button === $0 }) else { throw FlicError(.alreadyForgotten) }
        let identifiers = Set(chosen.map(\.identifier))
        return order.filter(identifiers.contains).compactMap { entries[$0]?.connection.record }
    }
}
