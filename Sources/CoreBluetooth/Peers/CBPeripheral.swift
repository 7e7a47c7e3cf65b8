/// A remote peripheral: the type of ``CBService/peripheral``. There are none here, where services are one's own (contract D40).
open class CBPeripheral: CBPeer {}
