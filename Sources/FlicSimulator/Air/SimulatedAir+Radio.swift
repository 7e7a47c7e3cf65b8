import GATT

/// What buttons tell the air; see also what it does with links and advertisements.
extension SimulatedAir: Radio {
    func buttonDied(_ address: BluetoothAddress) {
        dropLink(to: address, error: LinkError(.timeout, detail: "link lost"))
    }

    func faultsChanged(of address: BluetoothAddress) {
        updateBeat(of: address)
    }
}
