/// What proves to a server who is asking, in a file of its own.
struct BearerToken: Equatable {
    /// The first line of the file.
    let text: String

    /// Reads the file anew, so that a token can be replaced at any time.
    init(file path: String) throws(SecretFile.Problem) {
        let file = SecretFile(path: path)
        let line = try file.firstLine()
        // RFC 6750, 2.1, where it is `b64token`; others are taken as long as they are one word.
        guard line.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw file.problem("has characters in its first line that no token has") }
        text = String(decoding: line, as: UTF8.self)
    }
}
