import Glibc

/// A file whose first line is a secret: a token, or a password.
struct SecretFile {
    /// Longer files hold something else, in bytes.
    static let longest = 4096

    /// Why there is no secret.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let path: String
        /// Words that follow the path.
        let text: String

        var description: String { "\(path) \(text)" }
    }

    let path: String

    /// Reads the file.
    ///
    /// - Returns: At least one byte, without the end of the line.
    /// - Throws: If the file is none, is too long, says nothing, or is of interest to others than its owner and its group: a secret that others can read
    ///   is none.
    func firstLine() throws(Problem) -> ArraySlice<UInt8> {
        // A pipe that nobody writes into must not keep anybody waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw problem(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw problem("is not a file") }
        // Credentials of systemd are readable for the group, as the mask of their access list.
        guard status.st_mode & 0o027 == 0 else { throw problem("may be read or changed by others: 'chmod 600' it") }
        var bytes = [UInt8](repeating: 0, count: Self.longest + 1)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw problem(errno) }
        guard count <= Self.longest else { throw problem("is longer than \(Self.longest) bytes") }
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw problem("has nothing in its first line") }
        return line
    }

    func problem(_ text: String) -> Problem { Problem(path: path, text: text) }

    private func problem(_ number: Int32) -> Problem { problem("cannot be read: \(String(cString: strerror(number)))") }
}
