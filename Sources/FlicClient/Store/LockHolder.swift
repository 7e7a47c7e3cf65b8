import FoundationEssentials
import Glibc

/// Finds out who has locked a file, without trying to lock it: that could keep somebody out who just comes.
enum LockHolder {
    /// More than this is not read of /proc/locks, in bytes.
    private static let limit = 1 << 20

    /// - Parameter process: Where processes are shown.
    /// - Returns: nil if nobody has, or nobody whom this user may see.
    static func find(_ path: String, in process: String = "/proc") -> StoreFacts.Holder? {
        var file = stat()
        guard stat(path, &file) == 0, let locks = text(process + "/locks", limit: limit) else { return nil }
        return owners(in: locks, of: UInt64(file.st_ino)).first { isOpen(file, in: "\(process)/\($0)/fd") }.map { owner in
            let name = text("\(process)/\(owner)/comm", limit: 64) ?? ""
            return StoreFacts.Holder(process: owner, name: name.filter { !$0.isNewline })
        }
    }

    /// The processes that have a lock of flock(2) on a file of this number, in any file system.
    static func owners(in locks: String, of inode: UInt64) -> [Int32] {
        locks.split(separator: "\n").compactMap { line in
            // 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234567 0 EOF; those who wait have an arrow behind the number
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode else { return nil }
            return Int32(words[4]).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Device numbers in /proc/locks are not always those of stat(2), so the file itself is compared.
    private static func isOpen(_ file: stat, in directory: String) -> Bool {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return descriptors.contains { descriptor in
            var open = stat()
            return stat("\(directory)/\(descriptor)", &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino
        }
    }

    private static func text(_ path: String, limit: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return (try? PrivateFile.read(descriptor, named: path, limit: limit)).map { String(decoding: $0, as: UTF8.self) }
    }
}
