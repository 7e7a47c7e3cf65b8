import Foundation
import Testing

@testable import flic

@Suite("Files of the package")
struct PackagingTests {
    @Test("The configuration that is installed, and the example, are right", arguments: ["config.json", "example.json"])
    func configuration(name: String) async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = package.appending(path: "Sources/flic/Packaging/\(name)").path
        let run = try await Stage.play { stage in await stage.run("rules", "check", path) }
        // Without their traits, web hooks and brokers are refused.
        let refusals = run.results.filter { $0.contains("This build cannot") }
        #expect(run.code == .done || refusals.count == run.results.count, "\(run.results)")
    }
}
