// What a program needs beside this module to use it: what takes part in a simulation, and the buses and values of FakeBlueZ.
@_exported public import FlicClient

@_exported public import enum DBus.BusAddress
@_exported public import struct DBus.DBusError
@_exported public import enum DBus.DBusValue
@_exported public import struct DBus.Signal
