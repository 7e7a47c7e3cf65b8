/// Finds what somebody may have meant.
enum Spelling {
    /// Longer words are not compared.
    private static let longest = 40

    /// The word that is nearest to another one, if it is near at all: case, hyphens and underscores do not matter, and a letter in three may be wrong.
    static func nearest(to word: String, of words: [String]) -> String? {
        let wanted = letters(of: word)
        let nearest = words.map { (word: $0, distance: distance(wanted, letters(of: $0))) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(1, wanted.count / 3) else { return nil }
        return nearest.word
    }

    private static func letters(of word: String) -> [Character] {
        Array(word.prefix(longest).lowercased().filter { $0 != "_" && $0 != "-" })
    }

    /// How many letters must be put in, taken out or replaced to make one word of the other (Levenshtein).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
