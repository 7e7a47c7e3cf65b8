import Dispatch
import Glibc
import Synchronization

/// Standard input: line by line, or key by key where it is a terminal in front of this program.
enum StandardInput {
    /// Longer lines are cut into pieces.
    private static let longestLine = 4096

    /// - Parameter descriptor: Where to read from.
    static func input(_ descriptor: Int32 = STDIN_FILENO) -> Input {
        let isTerminal = isatty(descriptor) == 1
        if isTerminal && tcgetpgrp(descriptor) != getpgrp() {
            return Input { AsyncStream { $0.finish() } }  // in the background a terminal belongs to others
        }
        return Input(isTerminal: isTerminal) {
            AsyncStream { continuation in
                if isTerminal { makeRaw(descriptor) }
                continuation.onTermination = { _ in restore() }
                // A thread that waits: dispatch sources and event polls treat files, terminals and hang-ups each in their own way.
                DispatchQueue(label: "flic.input").async {
                    var reader = Reader(descriptor: descriptor, isTerminal: isTerminal)
                    while reader.read({ continuation.yield($0) }) {}
                    continuation.finish()
                }
            }
        }
    }

    /// Takes what there is to read apart.
    private struct Reader {
        let descriptor: Int32
        let isTerminal: Bool
        var line: [UInt8] = []

        /// - Returns: false at the end of the input.
        mutating func read(_ give: (Input.Element) -> Void) -> Bool {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0 && errno == EINTR { return true }
                if !line.isEmpty { give(.line(String(decoding: line, as: UTF8.self))) }
                return false
            }
            if isTerminal {
                for key in String(decoding: buffer[..<count], as: UTF8.self) { give(.key(key)) }
                return true
            }
            for byte in buffer[..<count] {
                if byte != UInt8(ascii: "\n") { line.append(byte) }
                if byte == UInt8(ascii: "\n") || line.count == StandardInput.longestLine {
                    give(.line(String(decoding: line, as: UTF8.self)))
                    line = []
                }
            }
            return true
        }
    }

    // MARK: Terminal

    /// The terminal's settings as they were before keys were read from it.
    private static let saved = Mutex<(descriptor: Int32, settings: termios)?>(nil)

    /// Single keys, not shown; those that send signals still do.
    private static func makeRaw(_ descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return }
        saved.withLock { $0 = (descriptor, settings) }
        atexit { StandardInput.restore() }  // whatever way the program ends
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    private static func restore() {
        saved.withLock { saved in
            guard var former = saved else { return }
            tcsetattr(former.descriptor, TCSANOW, &former.settings)
            saved = nil
        }
    }
}
