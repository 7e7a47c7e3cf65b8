#!/usr/bin/python3 -B
"""In the VM: a central with a controller of its own, which knows nothing of kernel, bluetoothd and D-Bus. Commands come on standard input:

    scan ADDRESS [SECONDS]             connect ADDRESS [SECONDS]          disconnect
    mtu BYTES                          discover                           quit
    read WHAT                          blob WHAT OFFSET                   readlong WHAT
    write WHAT HEX                     writecommand WHAT HEX              writelong WHAT HEX
    prepare WHAT OFFSET HEX            execute [cancel]
    subscribe WHAT notify|indicate|off                                    confirm on|off
    pair                               encrypt
    channel PSM                        exchange HEX

WHAT is the UUID of a characteristic, UUID/UUID for one of its descriptors, both once discovered, or #HANDLE. Each command gives one line of
JSON, with "error", and "code" if the other side gave a number, if it did not succeed. So do notifications, indications and the ends of
channel and link, with "event". At the end of input, and with quit, it leaves without a word: the controller is gone.
"""

import asyncio
import inspect
import json
import sys

from host.attributes import CONFIGURATION, AttributeClient
from host.channel import Channel
from host.link import Failure, Host
from host.pairing import Pairing

RADIO = "/run/flickit-vm/hosts"
SWITCHES = {"notify": b"\1\0", "indicate": b"\2\0", "off": b"\0\0"}


def say(**line):
    print(json.dumps(line), flush=True)


def number(text, least=0, most=0xFFFF):
    if not text.isdecimal() or not least <= int(text) <= most:
        raise Failure(f"{text} is no number from {least} to {most}")
    return int(text)


def octets(text):
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Failure(f"{text} is not hexadecimal") from None


def choice(text, *words):
    if text not in words:
        raise Failure(f"{text} is none of {', '.join(words)}")
    return text


def fields(data):
    """What an advertisement or a scan response says."""
    said, place = {}, 0
    while data and place + 1 < len(data) and data[place]:
        kind, value = data[place + 1], data[place + 2 : place + 1 + data[place]]
        said["kinds"] = said.get("kinds", []) + [kind]
        if kind == 1 and value:
            said["flags"] = value[0]
        elif kind in (2, 3):
            said["services"] = said.get("services", []) + [value[i : i + 2][::-1].hex().upper() for i in range(0, len(value), 2)]
        elif kind in (6, 7):
            said["services"] = said.get("services", []) + [value[i : i + 16][::-1].hex().upper() for i in range(0, len(value), 16)]
        elif kind in (8, 9):
            said["name"] = value.decode(errors="replace")
        place += 1 + data[place]
    return said


class Central:
    def __init__(self):
        self.host = Host(RADIO, say)
        self.attributes = AttributeClient(self.host, say)
        self.pairing = Pairing(self.host)
        self.l2cap = Channel(self.host, say)
        self.commands = {
            name: getattr(self, name)
            for name in "scan connect disconnect mtu discover read blob readlong write writecommand writelong prepare execute".split()
            + "subscribe confirm pair encrypt channel exchange".split()
        }

    async def run(self):
        await self.host.start()
        say(event="ready", address=self.host.address, number=int(self.host.address.split(":")[3], 16))
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while line := (await lines.readline()).decode(errors="replace"):
            words = line.split()
            if words == ["quit"]:
                break
            if words:
                await self.obey(*words)

    async def obey(self, name, *words):
        try:
            if name not in self.commands:
                raise Failure("no such command")
            try:
                inspect.signature(self.commands[name]).bind(*words)
            except TypeError as error:
                raise Failure(str(error)) from None
            say(command=name, **(await self.commands[name](*words) or {}))
        except Failure as failure:
            say(command=name, error=str(failure), **({} if failure.code is None else {"code": failure.code}))

    # MARK: The link

    async def scan(self, address, seconds="10"):
        advertisement, response = await self.host.scan(address, number(seconds, 1, 600))
        return {"advertisement": fields(advertisement), "response": fields(response)}

    async def connect(self, address, seconds="20"):
        self.attributes.begin(None)
        await self.host.connect(address, number(seconds, 1, 600))

    async def disconnect(self):
        await self.host.disconnect()

    async def pair(self):
        await self.pairing.pair()

    async def encrypt(self):
        # Linux ends a link after 2 s that was encrypted before it knew the features of the other end (seen in 6.1): it is to answer first.
        await self.attributes.read(1)
        await self.pairing.encrypt()

    async def channel(self, psm):
        await self.l2cap.open(number(psm, 1))
        return {"mtu": self.l2cap.mtu}

    async def exchange(self, value):
        return {"value": (await self.l2cap.exchange(octets(value))).hex()}

    # MARK: Attributes

    async def mtu(self, size):
        await self.attributes.exchange_mtu(number(size, 23))
        return {"mtu": self.attributes.mtu}

    async def discover(self):
        return {"services": await self.attributes.discover()}

    async def read(self, what):
        return {"value": (await self.attributes.read(self.attributes.find(what))).hex()}

    async def blob(self, what, offset):
        return {"value": (await self.attributes.read(self.attributes.find(what), number(offset))).hex()}

    async def readlong(self, what):
        return {"value": (await self.attributes.read_long(self.attributes.find(what))).hex()}

    async def write(self, what, value):
        await self.attributes.write(self.attributes.find(what), octets(value))

    async def writecommand(self, what, value):
        self.attributes.write_command(self.attributes.find(what), octets(value))

    async def writelong(self, what, value):
        await self.attributes.write_long(self.attributes.find(what), octets(value))

    async def prepare(self, what, offset, value):
        await self.attributes.prepare(self.attributes.find(what), number(offset), octets(value))

    async def execute(self, how="write"):
        await self.attributes.execute(choice(how, "write", "cancel") == "write")

    async def subscribe(self, what, how):
        value = SWITCHES[choice(how, *SWITCHES)]
        await self.attributes.write(self.attributes.find(f"{what}/{CONFIGURATION}"), value)

    async def confirm(self, how):
        self.attributes.confirms = choice(how, "on", "off") == "on"
        if self.attributes.confirms:
            self.attributes.give_confirmations()


async def main():
    central = Central()
    running = asyncio.ensure_future(central.run())
    # Ends with the input, or with the radio.
    await asyncio.wait([running, central.host.gone], return_when=asyncio.FIRST_COMPLETED)
    (running if running.done() else central.host.gone).result()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (Failure, OSError, ValueError) as failure:  # the last is a line that never ends
        sys.exit(f"central: {failure}")
