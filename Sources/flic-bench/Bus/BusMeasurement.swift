import Commands
import DBus

extension Measurement {
    private static let batches = Option(name: "--batches", value: "N", summary: "Take the mean of a thousand so often (100).")

    static let bus = Measurement(
        name: "bus",
        summary: "What it costs to read a D-Bus message with a notification of a button.",
        discussion: """
            The message is the signal PropertiesChanged of a characteristic with a value of 18 bytes, as bluetoothd sends it for each press; it is made once and
            read again and again. Each figure is the mean of a thousand repetitions.
            """,
        options: [batches]
    ) { invocation in
        let signal = Signal(
            at: "/org/bluez/hci0/dev_80_E4_DA_12_34_56/service0010/char0013",
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [.string("org.bluez.GattCharacteristic1"), .properties(["Value": .bytes([UInt8](0..<18))]), .strings([])]
        )
        let message = try Message.signal(signal)
        let batches = try Batches(try invocation.arguments.count(batches, usual: 100), of: 1000) { _ in
            guard try message.arguments().count == 3 else { throw Invocation.Failure("The message was not read.") }
        }
        return Report(measurement: "bus", figures: batches.figures("read"))
    }
}
