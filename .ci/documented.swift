// Says which public symbols in symbol graphs have no documentation, and counts the others. Usage: swift .ci/documented.swift GRAPH…
// What the compiler makes by itself has no place in the sources, and is left out.

import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let displayName: String }
        struct Place: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }
        struct Comment: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        let kind: Kind
        let pathComponents: [String]
        let location: Place?
        let docComment: Comment?

        var isDocumented: Bool { docComment?.lines.contains { !$0.text.allSatisfy(\.isWhitespace) } ?? false }
    }
    let symbols: [Symbol]
}

var count = 0
var lacks: [String] = []
for path in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    for symbol in graph.symbols {
        guard let place = symbol.location else { continue }
        count += 1
        guard !symbol.isDocumented else { continue }
        let file = URL(string: place.uri)?.path ?? place.uri
        lacks.append("\(file):\(place.position.line + 1): \(symbol.kind.displayName) \(symbol.pathComponents.joined(separator: ".")) has no documentation")
    }
}
for lack in lacks.sorted() { print(lack) }
print("\(count) public symbols, \(lacks.count) without documentation")
exit(lacks.isEmpty && count > 0 ? 0 : 1)
