"""The host of a virtual controller, in the central's role: commands, scanning, one link, packets in pieces.

Bluetooth Core specification, volume 4, part E, and volume 3, part A. Packets are those of /dev/vhci.
"""

import asyncio
import collections
import socket
import struct

COMMAND, DATA, EVENT = 1, 2, 4
RESET, READ_ADDRESS, READ_BUFFER_SIZE, DISCONNECT = 0x0C03, 0x1009, 0x2002, 0x0406
SET_SCANNING, ENABLE_SCANNING, CONNECT, CANCEL_CONNECT, START_ENCRYPTION = 0x200B, 0x200C, 0x200D, 0x200E, 0x2019
ATTRIBUTES, SIGNALS, SECURITY = 4, 5, 6  # channels
SCAN_RESPONSE = 4

# Interval 30 ms, no latency, supervision timeout 720 ms: a central that leaves without a word is missed soon.
PARAMETERS = struct.pack("<HHHHHH", 24, 24, 0, 72, 0, 0)


class Failure(Exception):
    """Why something did not succeed, with the number that the other side gave, if it gave one."""

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


def address_text(wire):
    return ":".join(f"{byte:02X}" for byte in reversed(wire))


def address_bytes(text):
    try:
        wire = bytes.fromhex(text.replace(":", ""))[::-1]
    except ValueError:
        wire = b""
    if len(wire) != 6:
        raise Failure(f"{text} is no address")
    return wire


class Host:
    """A controller of its own, for as long as the socket is open. `tell` hears what nobody has asked for."""

    def __init__(self, path, tell):
        self.tell = tell
        self.address = None
        self.peer = None  # the other end of the link
        self.channels = {}  # by number, who takes what comes on it
        self.gone = asyncio.get_running_loop().create_future()  # ends with the radio
        self._handle = None
        self._commands = {}  # by number, who waits for its end
        self._events = {}  # by name, who waits for it on the link
        self._heard = None  # while scanning: by address, advertisement and scan response
        self._outgoing = collections.deque()
        self._size, self._most = 27, 1  # of a piece, and how many the controller takes
        self._room = 0
        self._incoming = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(10)
        self._socket.connect(path)
        asyncio.get_running_loop().add_reader(self._socket, self._receive)

    async def start(self):
        await self._command(RESET)
        self.address = address_text((await self._command(READ_ADDRESS))[:6])
        self._size, self._most = struct.unpack_from("<HB", await self._command(READ_BUFFER_SIZE))

    # MARK: What is asked for

    async def scan(self, address, seconds):
        """What an advertiser says, as (advertisement, scan response); either may be missing."""
        wire = address_bytes(address)
        self._heard = collections.defaultdict(dict)
        await self._command(SET_SCANNING, struct.pack("<BHHBB", 1, 16, 16, 0, 0))
        await self._command(ENABLE_SCANNING, b"\1\1")
        end = asyncio.get_running_loop().time() + seconds
        while len(self._heard[wire]) < 2 and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
        await self._command(ENABLE_SCANNING, b"\0\0")
        found, self._heard = self._heard[wire], None
        if not found:
            raise Failure(f"{address} not heard within {seconds} s")
        return found.get("advertisement"), found.get("response")

    async def connect(self, address, seconds):
        if self._handle is not None:
            raise Failure(f"linked to {self.peer} already")
        parameters = struct.pack("<HHBB6sB", 16, 16, 0, 0, address_bytes(address), 0) + PARAMETERS
        try:
            await self.event("link", lambda: self._command(CONNECT, parameters), seconds)
        except Failure:
            if self._handle is None:
                await self._command(CANCEL_CONNECT, accepting=(0x0C,))
            raise

    async def disconnect(self, reason=0x13):
        parameters = struct.pack("<HB", self.handle, reason)
        await self.event("end", lambda: self._command(DISCONNECT, parameters))

    async def encrypt(self, random, diversifier, key):
        """Encrypts the link with a key that the other end finds by the other two."""
        parameters = struct.pack("<H8sH16s", self.handle, random, diversifier, key)
        await self.event("encryption", lambda: self._command(START_ENCRYPTION, parameters))

    def send(self, channel, packet):
        packet = struct.pack("<HH", len(packet), channel) + packet
        for start in range(0, len(packet), self._size):
            piece = packet[start : start + self._size]
            flags = 0x1000 if start else 0
            self._outgoing.append(struct.pack("<BHH", DATA, self.handle | flags, len(piece)) + piece)
        self._send_waiting()

    @property
    def handle(self):
        if self._handle is None:
            raise Failure("there is no link")
        return self._handle

    def close(self):
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    # MARK: Waiting

    async def event(self, name, begin=None, seconds=30):
        """Waits for what the link brings under this name. The end of the link ends the wait."""
        if name in self._events:
            raise Failure(f"{name} is waited for already")
        waiting = self._events[name] = asyncio.get_running_loop().create_future()
        try:
            if begin:
                await begin()
            return await asyncio.wait_for(waiting, seconds)
        except asyncio.TimeoutError:
            raise Failure(f"no {name} within {seconds} s") from None
        finally:
            del self._events[name]

    def happened(self, name, result=None, failure=None):
        """Ends the wait for something. False if nobody waits."""
        waiting = self._events.get(name)
        if not waiting or waiting.done():
            return False
        waiting.set_exception(failure) if failure else waiting.set_result(result)
        return True

    async def _command(self, number, parameters=b"", accepting=()):
        """What the controller answers, without the status, which has to be success or one of these."""
        waiting = self._commands[number] = asyncio.get_running_loop().create_future()
        self._write(struct.pack("<BHB", COMMAND, number, len(parameters)) + parameters)
        try:
            answer = await asyncio.wait_for(waiting, 10)
        except asyncio.TimeoutError:
            raise Failure(f"no answer to command {number:#06x}") from None
        finally:
            del self._commands[number]
        if answer[0] and answer[0] not in accepting:
            raise Failure(f"command {number:#06x} failed", answer[0])
        return answer[1:]

    # MARK: Packets

    def _write(self, packet):
        try:
            self._socket.send(packet)
        except OSError as error:
            self._lose_radio(error)

    def _send_waiting(self):
        while self._outgoing and self._room:
            self._room -= 1
            self._write(self._outgoing.popleft())

    def _receive(self):
        try:
            packet = self._socket.recv(4096)
        except OSError as error:
            return self._lose_radio(error)
        if not packet:
            return self._lose_radio("closed")
        try:
            self._take(packet)
        except (struct.error, IndexError):
            self.tell(event="malformed", packet=packet.hex())

    def _lose_radio(self, why):
        asyncio.get_running_loop().remove_reader(self._socket)
        if not self.gone.done():
            self.gone.set_exception(Failure(f"the radio is gone: {why}"))

    def _take(self, packet):
        if packet[0] == DATA:
            handle, size = struct.unpack_from("<HH", packet, 1)
            if handle & 0xFFF == self._handle and size == len(packet) - 5:
                self._take_piece(packet[5:], is_first=handle & 0x3000 != 0x1000)
        elif packet[0] == EVENT:
            self._take_event(packet[1], packet[3 : 3 + packet[2]])

    def _take_piece(self, piece, is_first):
        self._incoming = piece if is_first else self._incoming + piece
        if len(self._incoming) < 4:
            return
        size, channel = struct.unpack_from("<HH", self._incoming)
        if len(self._incoming) < size + 4:
            return
        packet, self._incoming = self._incoming[4:], b""
        if len(packet) != size:
            self.tell(event="malformed", channel=channel, packet=packet.hex())
        elif channel in self.channels:
            self.channels[channel](packet)

    def _take_event(self, code, parameters):
        if code == 0x0E:
            self._end_command(struct.unpack_from("<H", parameters, 1)[0], parameters[3:])
        elif code == 0x0F:
            self._end_command(struct.unpack_from("<H", parameters, 2)[0], parameters[:1])
        elif code == 0x13:
            self._room += struct.unpack_from("<H", parameters, 3)[0]
            self._send_waiting()
        elif code == 0x05 and struct.unpack_from("<H", parameters, 1)[0] == self._handle:
            self._end_link(parameters[3])
        elif code in (0x08, 0x30):
            failure = Failure("no encryption", parameters[0]) if parameters[0] else None
            self.happened("encryption", failure=failure)
        elif code == 0x3E and parameters[0] == 1:
            self._begin_link(parameters[1], struct.unpack_from("<H", parameters, 2)[0], parameters[6:12])
        elif code == 0x3E and parameters[0] == 2 and self._heard is not None:
            kind = "response" if parameters[2] == SCAN_RESPONSE else "advertisement"
            self._heard[parameters[4:10]][kind] = parameters[11 : 11 + parameters[10]]

    def _end_command(self, number, answer):
        waiting = self._commands.get(number)
        if waiting and not waiting.done() and answer:
            waiting.set_result(answer)

    def _begin_link(self, status, handle, peer):
        if status:
            self.happened("link", failure=Failure("no link", status))
            return
        self._handle, self.peer = handle, address_text(peer)
        self._room, self._incoming = self._most, b""
        self.happened("link")

    def _end_link(self, reason):
        self._handle, self.peer, self._room = None, None, 0
        self._outgoing.clear()
        self.tell(event="disconnected", reason=reason)
        self.happened("end")
        for name in list(self._events):
            self.happened(name, failure=Failure("the link has ended", reason))
