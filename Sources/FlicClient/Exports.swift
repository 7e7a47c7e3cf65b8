// What a program needs beside this module to use it: trigger modes and limits, states of the transport, the loop, and the log.
@_exported public import ClickClassifier
@_exported public import EventLoops
@_exported public import GATT
@_exported public import Logs

@_exported public import struct FlicProtocol.FirmwareImage
