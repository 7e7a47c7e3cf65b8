import Foundation

/// A program of the system: a shell, or one that checks man pages.
struct OtherProgram {
    let path: String

    /// nil if it is not installed.
    init?(_ name: String) {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = directories.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { return nil }
        self.path = path
    }

    static func isThere(_ name: String) -> Bool { OtherProgram(name) != nil }

    struct Result {
        let status: Int32
        /// Standard output, then standard error.
        let text: String

        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// Runs it to its end, with this text as a file whose path is the last argument.
    ///
    /// - Parameters:
    ///   - completions: A file beside it.
    ///   - lines: What `flic list --names` prints there. Other commands print their arguments.
    func run(_ arguments: String..., file: String, completions: String = "", lines: [String] = []) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let script = directory.appending(path: "file")
        try Data(file.utf8).write(to: script)
        try Data(completions.utf8).write(to: directory.appending(path: "completions"))
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: directory.appending(path: "lines"))
        let flic = directory.appending(path: "flic")
        let contents = """
            #!/bin/sh
            if [ "$*" = "list --names" ]; then cat '\(directory.path)/lines'; else printf '<%s>' "$@"; echo; fi

            """
        try Data(contents.utf8).write(to: flic)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: flic.path)

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["60", path] + arguments + [script.path]
        process.environment = ["PATH": "\(directory.path):/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": directory.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }
}
