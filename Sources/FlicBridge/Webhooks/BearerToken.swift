import FoundationEssentials
import Glibc

/// What proves to a server who is asking, in a file of its own.
struct BearerToken: Equatable {
    /// The first line of the file.
    let text: String

    /// Longer files hold something else, in bytes.
    static let longestFile = 4096

    /// Why there is none: words that follow the path of the file.
    struct Problem: Error, Equatable {
        let text: String
    }

    /// Reads the file anew, so that a token can be replaced at any time.
    init(file path: String) throws(Problem) {
        // A pipe that nobody writes into must not keep anybody waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Problem(text: "cannot be read: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw Problem(text: "is not a file") }
        // Credentials of systemd are readable for the group, as the mask of their access list.
        guard status.st_mode & 0o027 == 0 else { throw Problem(text: "may be read or changed by others: 'chmod 600' it") }
        var bytes = [UInt8](repeating: 0, count: Self.longestFile + 1)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Problem(text: "cannot be read: \(String(cString: strerror(errno)))") }
        guard count <= Self.longestFile else { throw Problem(text: "is longer than \(Self.longestFile) bytes") }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // RFC 6750, 2.1, where it is `b64token`; others are taken as long as they are one word.
        guard !line.isEmpty else { throw Problem(text: "has no token in its first line") }
        guard line.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw Problem(text: "has characters in its first line that no token has") }
        text = String(decoding: line, as: UTF8.self)
    }
}
