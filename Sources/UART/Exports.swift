// What a program needs beside this module to use it: addresses, UUIDs and what ends a link, and the loop.
@_exported public import EventLoops
@_exported public import GATT
