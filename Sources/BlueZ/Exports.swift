// What a program needs beside this module to use it: the words of centrals and peripherals, the loop, and where the bus is.
@_exported public import EventLoops
@_exported public import GATT

@_exported public import enum DBus.BusAddress
