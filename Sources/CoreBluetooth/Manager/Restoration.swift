import EventLoops
import GATT

/// What a program had published and advertised, kept in a file for its next run (contract D120).
///
/// Written by a replacement of the whole file, in the order of the changes, off the delivery queue. A damaged file is set aside and said so;
/// what is in it is believed no more than a program's own services are.
final class Restoration: Sendable {
    /// What the next run begins with.
    struct State: @unchecked Sendable {
        let services: [CBMutableService]
        let advertisement: LocalAdvertisement?

        /// As the delegate is told.
        var dictionary: [String: Any] {
            var dictionary: [String: Any] = [CBPeripheralManagerRestoredStateServicesKey: services]
            if let advertisement { dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = advertisement.dictionary }
            return dictionary
        }
    }

    /// Larger files are not read, in bytes.
    private static let largestFile = 1 << 20

    private let file: URL
    private let log: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "flickit.restoration")

    /// - Parameters:
    ///   - options: Of the manager; nil is returned if there is no ``CBPeripheralManagerOptionRestoreIdentifierKey``.
    ///   - directory: Where the file is kept, nil for nowhere.
    init?(_ options: [String: Any]?, _ directory: URL?, log: @escaping @Sendable (String) -> Void) {
        guard let directory, let identifier = options?[CBPeripheralManagerOptionRestoreIdentifierKey] as? String else { return nil }
        // Any text may be an identifier, but not any is the name of a file.
        let name = identifier.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard !name.isEmpty, name.utf8.count <= 200 else {
            log("the restore identifier is empty or too long: nothing is restored")
            return nil
        }
        file = directory.appending(path: "peripheral-\(name).json")
        self.log = log
    }

    /// What the last run has left; nil if nothing.
    func load() -> State? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            guard let data = try handle.read(upToCount: Self.largestFile + 1), data.count <= Self.largestFile else {
                throw CocoaError(.fileReadTooLarge)
            }
            return try JSONDecoder().decode(SavedState.self, from: data).state
        } catch {
            let aside = file.appendingPathExtension("damaged")
            try? FileManager.default.removeItem(at: aside)
            try? FileManager.default.moveItem(at: file, to: aside)
            log("\(file.path) cannot be read and was set aside: \(error)")
            return nil
        }
    }

    /// Returns when everything has been written.
    func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func save(_ services: [CBMutableService], _ advertisement: LocalAdvertisement?) {
        let state = SavedState(services, advertisement)
        queue.async { [file, log] in
            do {
                try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try JSONEncoder().encode(state).write(to: file, options: .atomic)
            } catch {
                log("\(file.path) cannot be written: \(error)")
            }
        }
    }
}
