import GATT

/// What carries a button's frames and advertisements: a ``SimulatedAir``, or a real radio (``ButtonOnAir``). On the loop of the button.
protocol Radio: Actor {
    /// The button sends a notification.
    func send(_ frame: [UInt8], from address: BluetoothAddress)

    /// The button has closed its link. What it sent before still arrives.
    func buttonClosedLink(_ address: BluetoothAddress)

    /// The button's battery is out: its link is lost.
    func buttonDied(_ address: BluetoothAddress)

    /// The button advertises in another way now, or not at all.
    func advertisingChanged(of address: BluetoothAddress)

    /// Something else is wrong with the button now.
    func faultsChanged(of address: BluetoothAddress)
}
