// What FakeBlueZ is spoken to in: buses and values of D-Bus. The rest that takes part in a simulation is FlicClient's.
@_exported public import enum DBus.BusAddress
@_exported public import struct DBus.DBusError
@_exported public import enum DBus.DBusValue
@_exported public import struct DBus.Signal
