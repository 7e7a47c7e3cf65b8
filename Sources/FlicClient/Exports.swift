// What a program needs beside this module to use it: trigger modes and limits, states of the transport, and the loop.
@_exported public import ClickClassifier
@_exported public import EventLoops
@_exported public import GATT
