"""Pairing as the initiator, "just works" of the first kind (Bluetooth Core specification, volume 3, part H), and encryption from then on.

The block cipher is the kernel's (AF_ALG).
"""

import asyncio
import secrets
import socket
import struct

from host.link import SECURITY, Failure, address_bytes

PAIRING_REQUEST, PAIRING_RESPONSE, CONFIRM, RANDOM, FAILED, KEY, IDENTIFICATION = 1, 2, 3, 4, 5, 6, 7
# No input and no output, no other way, a bond, 16 bytes; the other end gives its key.
REQUEST = bytes([PAIRING_REQUEST, 3, 0, 1, 16, 0, 1])
NOTHING = bytes(16)
SHORT_TERM = (bytes(8), 0)


def cipher(key, block):
    """Both least significant byte first, as all that is in packets."""
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as algorithm:
        algorithm.bind(("skcipher", "ecb(aes)"))
        algorithm.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, key[::-1])
        operation, _ = algorithm.accept()
        with operation:
            operation.sendmsg_afalg([block[::-1]], op=socket.ALG_OP_ENCRYPT)
            return operation.recv(16)[::-1]


def exclusive_or(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def confirmation(random, request, response, initiator, responder):
    """c1 of the specification for two public addresses and the temporary key 0."""
    first = bytes([0, 0]) + request + response
    second = responder + initiator + bytes(4)
    return cipher(NOTHING, exclusive_or(cipher(NOTHING, exclusive_or(random, first)), second))


class Pairing:
    """Keeps the keys of all it has paired with for as long as it lives."""

    def __init__(self, host):
        self.host = host
        self.bonds = {}  # by address: key, and what identifies it
        self._packets = asyncio.Queue()
        host.channels[SECURITY] = self._take

    def _take(self, packet):
        # A request for security is answered by pairing when it is asked for, not here.
        if packet and not self.host.happened("security", packet):
            self._packets.put_nowait(packet)

    async def _receive(self, code, size):
        packet = self._packets.get_nowait() if not self._packets.empty() else await self.host.event("security")
        if packet[0] == FAILED and len(packet) == 2:
            raise Failure("pairing failed", packet[1])
        if packet[0] != code or len(packet) != size:
            raise Failure(f"{packet.hex()} while pairing")
        return packet

    async def pair(self):
        host, peer = self.host, self.host.peer
        self._packets = asyncio.Queue()
        host.send(SECURITY, REQUEST)
        response = await self._receive(PAIRING_RESPONSE, 7)
        addresses = address_bytes(host.address), address_bytes(peer)
        mine = secrets.token_bytes(16)
        host.send(SECURITY, bytes([CONFIRM]) + confirmation(mine, REQUEST, response, *addresses))
        promise = (await self._receive(CONFIRM, 17))[1:]
        host.send(SECURITY, bytes([RANDOM]) + mine)
        other = (await self._receive(RANDOM, 17))[1:]
        if confirmation(other, REQUEST, response, *addresses) != promise:
            host.send(SECURITY, bytes([FAILED, 4]))
            raise Failure("the other end's confirmation is wrong", 4)
        await host.encrypt(*SHORT_TERM, cipher(NOTHING, mine[:8] + other[:8]))
        key = (await self._receive(KEY, 17))[1:]
        _, diversifier, random = struct.unpack("<BH8s", await self._receive(IDENTIFICATION, 11))
        self.bonds[peer] = random, diversifier, key

    async def encrypt(self):
        if self.host.peer not in self.bonds:
            raise Failure(f"no bond with {self.host.peer}")
        await self.host.encrypt(*self.bonds[self.host.peer])
