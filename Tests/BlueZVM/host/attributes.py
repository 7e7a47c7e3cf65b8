"""A client of the attribute protocol (Bluetooth Core specification, volume 3, parts F and G)."""

import struct

from host.link import ATTRIBUTES, Failure

ERROR, NOTIFICATION, INDICATION, CONFIRMATION = 0x01, 0x1B, 0x1D, 0x1E
MTU_REQUEST, FIND_INFORMATION, READ_BY_TYPE, READ, READ_BLOB, READ_BY_GROUP = 0x02, 0x04, 0x08, 0x0A, 0x0C, 0x10
WRITE, PREPARE, EXECUTE, WRITE_COMMAND = 0x12, 0x16, 0x18, 0x52
REQUESTS_WITH_RANGE = (0x04, 0x06, 0x08, 0x10)
ANSWERS = (0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13, 0x17, 0x19)
NOT_SUPPORTED, INVALID_OFFSET, NOT_FOUND, NOT_LONG = 0x06, 0x07, 0x0A, 0x0B
PRIMARY, SECONDARY, INCLUDE, CHARACTERISTIC, CONFIGURATION = 0x2800, 0x2801, 0x2802, 0x2803, "2902"
SMALLEST_MTU = 23
BASE = "-0000-1000-8000-00805F9B34FB"


def uuid_text(wire):
    """Upper case, as short as it was sent."""
    digits = wire[::-1].hex().upper()
    return digits if len(wire) == 2 else "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))


class AttributeClient:
    """Asks one thing at a time. `tell` hears notifications and indications."""

    def __init__(self, host, tell):
        self.host, self.tell = host, tell
        host.channels[ATTRIBUTES] = self._take
        self.confirms = True
        self.services = []  # as discovered last, which outlives the link
        self.begin(None)

    def begin(self, offered):
        """A new link. `offered` is the MTU of which the other end is told if it asks; None refuses the question, as old devices do."""
        self.mtu, self.offered = SMALLEST_MTU, offered
        self.owed = 0  # confirmations

    # MARK: Asking

    async def request(self, packet):
        answer = await self.host.event("answer", lambda: self._send(packet))
        if answer[0] == ERROR and len(answer) == 5 and answer[1] == packet[0]:
            raise Failure(f"ATT error {answer[4]:#04x}", answer[4])
        if answer[0] != packet[0] + 1:
            raise Failure(f"{answer.hex()} is no answer to {packet.hex()}")
        return answer[1:]

    async def _send(self, packet):
        self.host.send(ATTRIBUTES, packet)

    async def exchange_mtu(self, mtu):
        self.offered = mtu
        (other,) = struct.unpack("<H", await self.request(struct.pack("<BH", MTU_REQUEST, mtu)))
        self.mtu = max(min(mtu, other), SMALLEST_MTU)

    async def read(self, handle, offset=None):
        """One packet's worth; without an offset as a plain read."""
        if offset is None:
            return await self.request(struct.pack("<BH", READ, handle))
        return await self.request(struct.pack("<BHH", READ_BLOB, handle, offset))

    async def read_long(self, handle):
        value = part = await self.read(handle)
        while len(part) == self.mtu - 1 and len(value) < 512:
            try:
                part = await self.read(handle, len(value))
            except Failure as failure:
                if failure.code not in (INVALID_OFFSET, NOT_LONG):
                    raise
                break
            value += part
        return value

    async def write(self, handle, value):
        await self.request(struct.pack("<BH", WRITE, handle) + value)

    def write_command(self, handle, value):
        self.host.send(ATTRIBUTES, struct.pack("<BH", WRITE_COMMAND, handle) + value)

    async def prepare(self, handle, offset, value):
        packet = struct.pack("<BHH", PREPARE, handle, offset) + value
        echo = await self.request(packet)
        if echo != packet[1:]:
            raise Failure(f"prepared {echo.hex()} instead of {packet[1:].hex()}")

    async def execute(self, writes):
        await self.request(bytes([EXECUTE, writes]))

    async def write_long(self, handle, value):
        size = self.mtu - 5
        for offset in range(0, len(value), size):
            await self.prepare(handle, offset, value[offset : offset + size])
        await self.execute(True)

    def give_confirmations(self):
        for _ in range(self.owed):
            self.host.send(ATTRIBUTES, bytes([CONFIRMATION]))
        self.owed = 0

    # MARK: Discovery

    async def discover(self):
        """Services, primary ones first, with what is in them."""
        services = []
        for kind in (PRIMARY, SECONDARY):
            async for handle, data in self._list(READ_BY_GROUP, kind, 1, 0xFFFF, 2):
                (end,) = struct.unpack_from("<H", data)
                services.append({"uuid": uuid_text(data[2:]), "primary": kind == PRIMARY, "start": handle, "end": end})
        for service in services:
            await self._discover_service(service)
        self.services = services
        return services

    async def _discover_service(self, service):
        start, end = service["start"], service["end"]
        service["includes"] = []
        async for handle, data in self._list(READ_BY_TYPE, INCLUDE, start, end, 0):
            first, last = struct.unpack_from("<HH", data)
            service["includes"].append({"handle": handle, "start": first, "end": last})
        found = service["characteristics"] = []
        async for handle, data in self._list(READ_BY_TYPE, CHARACTERISTIC, start, end, 0):
            properties, value = struct.unpack_from("<BH", data)
            found.append({"declaration": handle, "properties": properties, "handle": value, "uuid": uuid_text(data[3:]), "descriptors": {}})
        for index, characteristic in enumerate(found):
            last = found[index + 1]["declaration"] - 1 if index + 1 < len(found) else end
            async for handle, uuid in self._find_information(characteristic["handle"] + 1, last):
                characteristic["descriptors"][uuid] = handle

    async def _list(self, request, kind, start, end, skip):
        """Pairs of handle and data. With `skip` the data begins with the last handle of a group."""
        while start <= end:
            try:
                answer = await self.request(struct.pack("<BHHH", request, start, end, kind))
            except Failure as failure:
                if failure.code == NOT_FOUND:
                    return
                raise
            size = answer[0] if answer else 0
            if size < 6 or (len(answer) - 1) % size or len(answer) == 1:
                raise Failure(f"a list that is none: {answer.hex()}")
            for place in range(1, len(answer), size):
                entry = answer[place : place + size]
                handle, last = struct.unpack_from("<HH", entry)
                if handle < start:
                    raise Failure(f"handle {handle} is listed after {start - 1}")
                start = (last if skip else handle) + 1
                yield handle, entry[2:]

    async def _find_information(self, start, end):
        while start <= end:
            try:
                answer = await self.request(struct.pack("<BHH", FIND_INFORMATION, start, end))
            except Failure as failure:
                if failure.code == NOT_FOUND:
                    return
                raise
            size = {1: 4, 2: 18}.get(answer[0] if answer else 0)
            if not size or (len(answer) - 1) % size or len(answer) == 1:
                raise Failure(f"a list that is none: {answer.hex()}")
            for place in range(1, len(answer), size):
                (handle,) = struct.unpack_from("<H", answer, place)
                if handle < start:
                    raise Failure(f"handle {handle} is listed after {start - 1}")
                start = handle + 1
                yield handle, uuid_text(answer[place + 2 : place + size])

    def find(self, name):
        """The handle of #NUMBER, of the value of a characteristic by its UUID, or of one of its descriptors: UUID/UUID."""
        if name.startswith("#") and name[1:].isdecimal() and int(name[1:]) <= 0xFFFF:
            return int(name[1:])
        uuid, _, descriptor = name.upper().partition("/")
        for service in self.services:
            for characteristic in service["characteristics"]:
                if characteristic["uuid"] == uuid and (not descriptor or descriptor in characteristic["descriptors"]):
                    return characteristic["descriptors"][descriptor] if descriptor else characteristic["handle"]
        raise Failure(f"{name} has not been discovered")

    def name(self, handle):
        """The UUID of the characteristic whose value has this handle, if it has been discovered."""
        characteristics = (c for service in self.services for c in service["characteristics"])
        return next((c["uuid"] for c in characteristics if c["handle"] == handle), None)

    # MARK: What comes

    def _take(self, packet):
        code = packet[0] if packet else 0
        if code in ANSWERS:
            if not self.host.happened("answer", packet):
                self.tell(event="unasked", packet=packet.hex())
        elif code in (NOTIFICATION, INDICATION) and len(packet) >= 3:
            self._take_value(packet)
        elif code != CONFIRMATION and code and not code & 0x41:
            self._refuse(packet)

    def _take_value(self, packet):
        (handle,) = struct.unpack_from("<H", packet, 1)
        is_indication = packet[0] == INDICATION
        kind = "indication" if is_indication else "notification"
        self.tell(event=kind, handle=handle, uuid=self.name(handle), value=packet[3:].hex())
        self.owed += is_indication
        if self.confirms:
            self.give_confirmations()

    def _refuse(self, packet):
        """The other end asks, too. There are no attributes here."""
        if packet[0] == MTU_REQUEST and len(packet) == 3 and self.offered:
            self.mtu = max(min(self.offered, struct.unpack_from("<H", packet, 1)[0]), SMALLEST_MTU)
            self.host.send(ATTRIBUTES, struct.pack("<BH", MTU_REQUEST + 1, self.offered))
            return
        handle = packet[1:3] if len(packet) >= 3 else b"\0\0"
        code = NOT_FOUND if packet[0] in REQUESTS_WITH_RANGE else NOT_SUPPORTED
        self.host.send(ATTRIBUTES, bytes([ERROR, packet[0]]) + handle + bytes([code]))
