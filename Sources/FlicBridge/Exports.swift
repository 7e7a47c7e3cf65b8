// What a program needs beside this module to use it: the buttons themselves.
@_exported public import FlicClient
