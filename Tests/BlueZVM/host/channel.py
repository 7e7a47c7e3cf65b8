"""An L2CAP channel with credits, opened from here (Bluetooth Core specification, volume 3, part A, 3.4, 4.22 to 4.24 and 10.1)."""

import struct

from host.link import SIGNALS, Failure

REJECT, END, ENDED, OPEN, OPENED, CREDITS = 0x01, 0x06, 0x07, 0x14, 0x15, 0x16
REFUSED = (0x12, 0x14, 0x17)  # other parameters of the link, and channels from the other end
OWN = 0x40  # our number of the channel
SIZE = 512  # of what we take, whole or in pieces
FIRST = 16  # credits


class Channel:
    """One at a time. `tell` hears of its end."""

    def __init__(self, host, tell):
        self.host, self.tell = host, tell
        host.channels[SIGNALS] = self._take_signal
        host.channels[OWN] = self._take
        self._forget()

    def _forget(self):
        self.peer, self.mtu, self.piece, self.credits = None, 0, 0, 0
        self._outgoing = []
        self._missing, self._incoming = 0, b""

    async def open(self, psm):
        self._forget()
        answer = await self.host.event("channel", lambda: self._signal(OPEN, psm, OWN, SIZE, SIZE, FIRST))
        peer, self.mtu, self.piece, self.credits, result = struct.unpack("<5H", answer)
        if result:
            raise Failure("the channel is refused", result)
        if self.piece < 23:
            raise Failure(f"pieces of {self.piece} bytes are too short")
        self.peer = peer

    async def exchange(self, value):
        """Sends one message, and waits for the next."""
        if self.peer is None:
            raise Failure("there is no channel")
        if len(value) > self.mtu:
            raise Failure(f"the other end takes {self.mtu} bytes at once")
        return await self.host.event("message", lambda: self._send(value))

    # MARK: Packets

    async def _signal(self, code, *numbers):
        self.host.send(SIGNALS, struct.pack(f"<BBH{len(numbers)}H", code, 1, 2 * len(numbers), *numbers))

    async def _send(self, value):
        value = struct.pack("<H", len(value)) + value
        self._outgoing += [value[place : place + self.piece] for place in range(0, len(value), self.piece)]
        self._send_waiting()

    def _send_waiting(self):
        while self._outgoing and self.credits:
            self.credits -= 1
            self.host.send(self.peer, self._outgoing.pop(0))

    def _take(self, piece):
        if not self._missing:
            (self._missing,) = struct.unpack_from("<H", piece)
            self._incoming, piece = b"", piece[2:]
        self._incoming += piece
        self._missing -= len(piece)
        if self.peer is not None:
            self.host.send(SIGNALS, struct.pack("<BBHHH", CREDITS, 1, 4, OWN, 1))
        if self._missing <= 0:
            self._missing = 0
            self.host.happened("message", self._incoming)

    def _take_signal(self, packet):
        code, number, size = struct.unpack_from("<BBH", packet)
        if code == OPENED and size == 10:
            self.host.happened("channel", packet[4:])
        elif code == CREDITS and size == 4:
            self.credits += struct.unpack_from("<H", packet, 6)[0]
            self._send_waiting()
        elif code == END and size == 4:
            self.host.send(SIGNALS, struct.pack("<BBH", ENDED, number, 4) + packet[4:8])
            self._forget()
            self.tell(event="closed")
        elif code in REFUSED:
            self.host.send(SIGNALS, bytes([REJECT, number, 2, 0, 0, 0]))
        elif code == REJECT:
            self.host.happened("channel", failure=Failure("the other end has no channels"))
