import Foundation

/// Looks for a secret in what was written, in all forms in which bytes are commonly shown.
public enum SecretSearch {
    /// The forms in which the secret is in the bytes; empty if it is not.
    public static func find(_ secret: [UInt8], in bytes: some Sequence<UInt8>) -> [String] {
        let data = Data(bytes)
        return forms(of: secret).filter { data.range(of: $0.form) != nil }.map(\.name)
    }

    private static func forms(of secret: [UInt8]) -> [(name: String, form: Data)] {
        let texts = [
            ("hexadecimal", secret.hex), ("upper-case hexadecimal", secret.hex.uppercased()),
            ("list", secret.map(String.init).joined(separator: ",")), ("spaced list", secret.map(String.init).joined(separator: ", ")),
        ]
        let base64 = (0..<3).map { shift -> (String, String) in
            // With other bytes in front; what depends on those, and on what follows, is left out.
            let text = Data([UInt8](repeating: 0, count: shift) + secret).base64EncodedString().dropFirst(shift == 0 ? 0 : shift + 1)
            return ("base64", String(text.prefix { $0 != "=" }.dropLast()))
        }
        return [("bytes", Data(secret))] + (texts + base64).map { ($0, Data($1.utf8)) }
    }
}
