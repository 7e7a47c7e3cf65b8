import FlicBridge
import FuzzInput

// The daemon's configuration, written by a hand that may slip anywhere: it is read, the same each time, or refused with all that is wrong: each with its
// line, in one line without control characters, and within limits.
//
// Input: the file.

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lineCount = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    func check(_ problems: [ConfigurationProblem]) {
        hold(problems.count <= 101, "\(problems.count) problems")
        for problem in problems {
            let text = problem.text(in: "c.json")
            hold(problem.line.map { (1...lineCount).contains($0) } ?? false, "no such line: \(text)")
            hold(!problem.message.isEmpty && problem.key?.isEmpty != true, "nothing is said: \(text)")
            // What is wrong with the text itself has a column; everything else is about a member, or about the whole.
            hold(
                problem.column != nil || problem.key != nil || problem.line == 1 || problems.count > 100 || isWhole(bytes),
                "no member is named: \(text)"
            )
            hold(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "a control character in \(text.utf8.map { $0 })")
            hold(text.utf8.count < 2000, "\(text.utf8.count) bytes: \(text)")
        }
    }
    do throws(ConfigurationError) {
        let contents = try ConfigurationFile(path: "c.json").parse(bytes)
        check(contents.warnings)
        hold((try? ConfigurationFile(path: "c.json").parse(bytes)) == contents, "the same file is read in two ways")
    } catch {
        hold(!error.problems.isEmpty, "refused without a reason")
        check(error.problems)
    }
    return 0
}

/// The file is something else than an object.
private func isWhole(_ bytes: [UInt8]) -> Bool {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return text.first { !$0.isJSONSpace } != UInt8(ascii: "{")
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { [0x20, 0x0A, 0x0D, 0x09].contains(self) }
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        let sections = [
            #""adapter": "hci0""#, #""store": "/var/lib/flickit""#, #""socket": {"path": "/run/flickit/flickit.sock"}"#,
            #""metrics": {"port": 9000}"#,
            """
            "mqtt": {
              "host": "broker.home", "port": 8884, "username": "u", "passwordFile": "/run/credentials/mqtt",
              "tls": {"caFile": "/ca.pem", "certFile": "/me.pem", "keyFile": "/me.key", "insecure": true},
              "clientID": "one", "baseTopic": "home/flic", "discoveryPrefix": "ha", "discovery": "entity",
              "suggestedAreas": {"Hall": "Ground floor"}, "maxAge": 2.5
            }
            """,
            """
            "rules": [{
              "name": "lamp", "button": ["Hall", "BC00-A00001"], "event": ["click", "doubleClick"],
              "buttonNumber": 1, "queued": false, "maxAge": 60, "minInterval": 0.5,
              "exec": {"command": ["/bin/sh", "-c", ""], "timeout": 3, "concurrency": "restart", "environment": {"LAMP": "2"}},
              "webhook": {
                "url": "http://ha:8123/api/webhook/{event}", "method": "GET", "headers": {"X-Room": "hall"}, "tokenFile": "/token",
                "timeout": 2, "tries": 5, "maxAge": 10, "allowInsecure": true
              }
            }, {"event": "hold", "webhook": {"url": "https://example.org/"}}]
            """,
        ]
        return (["{}", "[]", "", "\u{FEFF}{}", "{\(sections.joined(separator: ",\n"))}"] + sections.map { "{\($0)}" }).map { Array($0.utf8) }
    }
}
