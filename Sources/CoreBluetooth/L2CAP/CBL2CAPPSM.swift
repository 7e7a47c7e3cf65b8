/// The number under which a program listens for L2CAP channels: 0x80 to 0xFF (contract D109).
public typealias CBL2CAPPSM = UInt16
