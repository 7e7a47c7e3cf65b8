public import GATT

/// A phone, or any other central, in the air of a ``FakeBlueZ``: it uses what programs have registered there, as the peripheral that this
/// computer is.
///
/// ```swift
/// let phone = await fake.addCentral(mtu: 185)
/// await phone.connect()
/// let value = try await phone.read(uuid)
/// try await phone.subscribe(to: other)
/// let told = await phone.values(of: other, count: 3)
/// ```
///
/// The daemon in between behaves as bluetoothd 5.66 does: it reads in steps of what fits into a packet, tells of subscriptions only what
/// bluetoothd tells (contract D80 to D87), answers a request by itself after 5 s, and takes subscriptions by signals only, not by sockets.
/// Of several characteristics with the same UUID the one that was registered first is meant.
public struct FakeCentral: Sendable {
    /// Why something could not be done.
    public enum Failure: Error, Hashable, Sendable {
        /// There is no link.
        case notConnected
        /// No program has registered such a characteristic or descriptor at the adapter.
        case noSuchAttribute(BluetoothUUID)
        /// A write without response does not fit into a packet.
        case tooLong
        /// The answer was this error of the attribute protocol.
        case refused(UInt8)
    }

    /// Its address.
    public let address: BluetoothAddress
    /// Path of its device, which is there while it is connected, and longer (``FakeBlueZ/Timing/temporary``).
    public let device: String
    let fake: FakeBlueZ

    // MARK: Link

    /// Connects. Without effect if it is connected, or the daemon does not run, or the adapter is off.
    ///
    /// - Returns: Whether it is connected now.
    @discardableResult
    public func connect() async -> Bool { await fake.connectCentral(device) }

    /// Leaves, without taking back its subscriptions.
    public func disconnect() async { await fake.disconnectCentral(device) }

    /// Whether it has a link.
    public var isConnected: Bool { get async { await fake.devices[device]?.isUp == true } }

    /// Becomes bonded with this computer: its subscriptions outlast links from now on, and it may use what asks for encryption.
    public func bond() async { await fake.setBonded(true, device) }

    /// Loses the bond, on this computer's side, too.
    public func unbond() async { await fake.setBonded(false, device) }

    /// Sets the ATT MTU of its links from the next request on.
    ///
    /// - Parameter mtu: 23 to 517; other values are cut to that.
    public func setMTU(_ mtu: Int) async { await fake.setMTU(mtu, device) }

    // MARK: Discovery

    /// The services that it finds, in the order of their handles, but for the daemon's own.
    public var services: [BluetoothUUID] { get async { await fake.services(for: device) } }

    /// What a characteristic allows, in bluetoothd's words, such as `write-without-response`.
    ///
    /// - Throws: ``Failure``.
    public func flags(of characteristic: BluetoothUUID) async throws(Failure) -> Set<String> {
        try await fake.attribute(characteristic, nil, for: device).flags
    }

    // MARK: Values

    /// Reads a characteristic to its end.
    ///
    /// - Throws: ``Failure``.
    public func read(_ characteristic: BluetoothUUID) async throws(Failure) -> [UInt8] { try await readAll(characteristic, nil) }

    /// Reads a descriptor to its end.
    ///
    /// - Throws: ``Failure``.
    public func read(_ descriptor: BluetoothUUID, of characteristic: BluetoothUUID) async throws(Failure) -> [UInt8] {
        try await readAll(characteristic, descriptor)
    }

    /// Reads as much of a characteristic as fits into a packet, in one request.
    ///
    /// - Parameters:
    ///   - characteristic: Which one.
    ///   - offset: Where to begin; cut to 0 to 65,535.
    /// - Throws: ``Failure``.
    public func read(_ characteristic: BluetoothUUID, from offset: Int) async throws(Failure) -> [UInt8] {
        try await fake.read(characteristic, nil, for: device, offset: offset)
    }

    private func readAll(_ characteristic: BluetoothUUID, _ descriptor: BluetoothUUID?) async throws(Failure) -> [UInt8] {
        var value: [UInt8] = []
        while true {
            let part = try await fake.read(characteristic, descriptor, for: device, offset: value.count)
            value += part
            // A part that fills its packet may not be the last one.
            if await part.count < fake.mtu(device) - 1 || value.count >= FakeBlueZ.longestValue { return value }
        }
    }

    /// Writes a characteristic.
    ///
    /// - Parameters:
    ///   - value: The bytes.
    ///   - characteristic: Which one.
    ///   - withResponse: Whether an answer is waited for. What is longer than a packet is written in several, which arrive as one.
    /// - Throws: ``Failure``. If the characteristic can be written without response, too, no refusal is heard: bluetoothd answers before it asks.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, withResponse: Bool = true) async throws(Failure) {
        try await fake.write(value, to: characteristic, for: device, withResponse: withResponse)
    }

    // MARK: Subscriptions

    /// Switches notifications on, or indications, and returns when the program has been asked. Without effect if that is on already.
    ///
    /// - Throws: ``Failure``.
    public func subscribe(to characteristic: BluetoothUUID, indications: Bool = false) async throws(Failure) {
        try await fake.configure(characteristic, indications ? .indications : .notifications, for: device)
    }

    /// Switches notifications and indications off.
    ///
    /// - Throws: ``Failure``.
    public func unsubscribe(from characteristic: BluetoothUUID) async throws(Failure) {
        try await fake.configure(characteristic, .off, for: device)
    }

    /// What it has been notified of, and what has been indicated to it, since it was made, each value as it arrived.
    ///
    /// - Parameters:
    ///   - characteristic: Which one.
    ///   - count: Waits until there are so many.
    public func values(of characteristic: BluetoothUUID, count: Int = 0) async -> [[UInt8]] {
        await fake.wait { [device] in ($0.centrals[device]?.values[characteristic] ?? []).count >= count }
        return await fake.centrals[device]?.values[characteristic] ?? []
    }

    /// Sets whether it acknowledges indications, as it does unless told otherwise. After 30 s without an acknowledgement it loses its link.
    public func setConfirms(_ confirms: Bool) async { await fake.setConfirms(confirms, device) }
}
