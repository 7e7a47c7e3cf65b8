/// Chaskey-LTS, the message authentication code of the protocol (protocol 5.4). The one primitive that no library has.
package struct ChaskeyLTS: Sendable, Equatable {
    /// The key and both subkeys, as twelve little-endian words.
    private let words: SecretBytes

    /// - Parameter key: 16 bytes; missing ones count as zero, further ones are dropped.
    package init(key: SecretBytes) {
        words = SecretBytes(count: 48) { output in
            key.withBytes { _ = output.update(fromContentsOf: $0.prefix(16)) }
            for byte in 16..<48 {
                // Doubling of a 128-bit little-endian number: each byte takes the top bit of the one below it.
                let below = byte % 16 == 0 ? 0 : output[byte - 17] >> 7
                output[byte] = output[byte - 16] << 1 | below
                if byte % 16 == 15, output[byte - 16] & 0x80 != 0 { output[byte - 15] ^= 0x87 }
            }
        }
    }

    /// The subkeys for a full and for a padded last block.
    package var subkeys: (full: [UInt8], padded: [UInt8]) { words.withBytes { (Array($0[16..<32]), Array($0[32..<48])) } }

    /// The plain 16-byte code of a message.
    package func code(of message: Span<UInt8>) -> SecretBytes {
        let state = words.withBytes { words in
            var state = State(words, at: 0)
            state.finish(message, words)
            return state
        }
        return SecretBytes(count: 16) { state.store(in: $0) }
    }

    /// The tag of a packet: the first five bytes of the code, as the lower 40 bits in little-endian order.
    @inline(__always)
    package func tag(counter: UInt64, direction: Direction, body: Span<UInt8>) -> UInt64 {
        words.withBytes { words in
            var state = State(words, at: 0)
            state.v0 ^= UInt32(truncatingIfNeeded: counter)
            state.v1 ^= UInt32(truncatingIfNeeded: counter >> 32)
            state.v2 ^= direction.rawValue
            state.permute()
            state.finish(body, words)
            return UInt64(state.v0) | UInt64(state.v1 & 0xFF) << 32
        }
    }

    /// The rounds alone, on 16 bytes.
    package static func permute(_ bytes: [UInt8]) -> [UInt8] {
        var padded = Array(bytes.prefix(16))
        while padded.count < 16 { padded.append(0) }
        return padded.withUnsafeMutableBufferPointer { buffer in
            var state = State(UnsafeBufferPointer(buffer), at: 0)
            state.permute()
            state.store(in: buffer)
            return Array(buffer)
        }
    }

    /// Four words that are stirred.
    private struct State {
        var v0, v1, v2, v3: UInt32

        @inline(__always)
        init(_ words: UnsafeBufferPointer<UInt8>, at offset: Int) {
            let memory = UnsafeRawBufferPointer(words)
            v0 = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            v1 = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            v2 = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
            v3 = UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }

        @inline(__always)
        mutating func add(_ other: State) {
            v0 ^= other.v0
            v1 ^= other.v1
            v2 ^= other.v2
            v3 ^= other.v3
        }

        @inline(__always)
        mutating func add(_ message: Span<UInt8>, at offset: Int) {
            let raw = message.bytes
            v0 ^= UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            v1 ^= UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            v2 ^= UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
            v3 ^= UInt32(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        }

        /// The last block if it has fewer than 16 bytes: padded with a one and zeros.
        @inline(__always)
        mutating func addPadded(_ message: Span<UInt8>, from offset: Int) {
            var low: UInt64 = 0
            var high: UInt64 = 0
            for index in offset..<message.count {
                let position = index - offset
                if position < 8 {
                    low |= UInt64(message[index]) << (8 * position)
                } else {
                    high |= UInt64(message[index]) << (8 * (position - 8))
                }
            }
            let end = message.count - offset
            if end < 8 {
                low |= 1 << (8 * end)
            } else {
                high |= 1 << (8 * (end - 8))
            }
            v0 ^= UInt32(truncatingIfNeeded: low)
            v1 ^= UInt32(truncatingIfNeeded: low >> 32)
            v2 ^= UInt32(truncatingIfNeeded: high)
            v3 ^= UInt32(truncatingIfNeeded: high >> 32)
        }

        @inline(__always)
        mutating func finish(_ message: Span<UInt8>, _ words: UnsafeBufferPointer<UInt8>) {
            var offset = 0
            while message.count - offset > 16 {
                add(message, at: offset)
                permute()
                offset += 16
            }
            let subkey: State
            if message.count - offset == 16 {
                add(message, at: offset)
                subkey = State(words, at: 16)
            } else {
                addPadded(message, from: offset)
                subkey = State(words, at: 32)
            }
            add(subkey)
            permute()
            add(subkey)
        }

        @inline(__always)
        mutating func permute() {
            for _ in 0..<16 {
                v0 &+= v1
                v1 = v1 << 5 | v1 >> 27
                v1 ^= v0
                v0 = v0 << 16 | v0 >> 16
                v2 &+= v3
                v3 = v3 << 8 | v3 >> 24
                v3 ^= v2
                v0 &+= v3
                v3 = v3 << 13 | v3 >> 19
                v3 ^= v0
                v2 &+= v1
                v1 = v1 << 7 | v1 >> 25
                v1 ^= v2
                v2 = v2 << 16 | v2 >> 16
            }
        }

        func store(in output: UnsafeMutableBufferPointer<UInt8>) {
            for (index, word) in [v0, v1, v2, v3].enumerated() {
                for byte in 0..<4 { output[4 * index + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
            }
        }
    }
}
