import CDBus
import FuzzBus
import FuzzInput

@testable import DBus

// What comes over the bus, and what is to go there.
//
// Any bytes that libdbus takes for a message are read within the limits, and what was read is written and read again as the same. Any values, valid or
// not, are refused, or written so that the same is read; libdbus never ends the process.
//
// Input: a choice, then a message as it is on the wire, or values.

private func message(with values: [DBusValue]) throws(DBus.DBusError) -> Message {
    try Message.signal(Signal(at: "/", "a.b", "C", values))
}

private func check(_ values: [DBusValue]) {
    guard let written = try? message(with: values) else { return }
    let read = try? written.arguments()
    hold(read == values || values.contains { $0.hasNaN }, "\(values) were read as \(String(describing: read))")
    // The form that other processes get is valid to the last byte, too. libdbus gives a message its number when it is sent.
    dbus_message_set_serial(written.pointer, 1)
    var start: UnsafeMutablePointer<CChar>?
    var length: CInt = 0
    guard dbus_message_marshal(written.pointer, &start, &length) != 0, let start else { return }
    defer { dbus_free(start) }
    hold(dbus_message_demarshal_bytes_needed(start, length) == length, "\(values) made a message of another length")
    let received = dbus_message_demarshal(start, length, nil).map { Message(owning: $0) }
    // The bus and all peers take no deeper ones, and libdbus says so only here.
    hold(received != nil, "\(values) made a message that nobody takes")
    hold((try? received?.arguments()) == read || values.contains { $0.hasNaN }, "\(values) came as something else")
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    guard input.flag() else {
        check(input.values())
        return 0
    }
    var wire = input.rest()
    let received = wire.withUnsafeMutableBytes { wire in
        dbus_message_demarshal(wire.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(wire.count), nil)
    }
    guard let received, let values = try? Message(owning: received).arguments() else { return 0 }
    check(values)
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        let values: [DBusValue] = [
            .byte(1), .boolean(true), .int16(-1), .uint16(1), .int32(-1), .uint32(1), .int64(-1), .uint64(1), .double(1.5), .string("é"),
            .objectPath("/a"),
            .signature("a{sv}"), .bytes([1, 2, 3]), .strings(["a", "b"]), .properties(["a": .byte(1), "b": .strings([])]),
            .structure([.byte(1), .variant(.bytes([]))]), .array(of: "a{sv}", [.properties([:])]),
            .dictionary(key: "q", value: "ay", [.uint16(1): .bytes([1])]),
            .dictionary(key: "o", value: "a{sa{sv}}", [.objectPath("/a"): .dictionary(key: "s", value: "a{sv}", [.string("b"): .properties([:])])]),
        ]
        let messages = (values.map { [$0] } + [values]).compactMap { values -> [UInt8]? in
            var start: UnsafeMutablePointer<CChar>?
            var length: CInt = 0
            guard let message = try? message(with: values) else { return nil }
            dbus_message_set_serial(message.pointer, 1)
            guard dbus_message_marshal(message.pointer, &start, &length) != 0, let start else { return nil }
            defer { dbus_free(start) }
            return [1] + UnsafeRawBufferPointer(start: start, count: Int(length))
        }
        return messages + (0..<20).map { [0, 2, $0, 2, 30, 30, 30, 30, 30, 30, 30, $0, 2, 30, 30, 30, 30, 30, 30, 30, 30] }
    }
}
