#!/usr/bin/python3
"""In the VM: hci1 advertises an echo service; hci0 finds it, connects, and loses it in every way the radio offers."""

import dbus
import dbus.mainloop.glib
import dbus.service
import time
from gi.repository import GLib

ECHO = "0000ec00-0000-1000-8000-00805f9b34fb"
PEER = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
PROPERTIES = "org.freedesktop.DBus.Properties"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()


def wait(what, condition, limit=20):
    """Runs the main loop until the condition is met, and prints how long that took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > limit:
            raise SystemExit(f"FAILED  {what}: not within {limit} s")
        GLib.timeout_add(50, lambda: False)
        GLib.MainContext.default().iteration(True)
    print(f"ok      {what} ({time.monotonic() - start:.2f} s)", flush=True)


def call(path, interface, method, *arguments):
    """Calls bluetoothd while the main loop serves bluetoothd's own calls. Returns the error's name, or None."""
    result = []
    proxy = dbus.Interface(bus.get_object("org.bluez", path, introspect=False), interface)
    getattr(proxy, method)(
        *arguments, timeout=60, reply_handler=lambda *_: result.append(None), error_handler=lambda e: result.append(e.get_dbus_name())
    )
    while not result:
        GLib.MainContext.default().iteration(True)
    return result[0]


def succeed(*arguments):
    error = call(*arguments)
    if error:
        raise SystemExit(f"FAILED  {arguments}: {error}")


def objects():
    return dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager").GetManagedObjects()


def peer_is(name):
    return bool(objects().get(PEER, {}).get("org.bluez.Device1", {}).get(name))


def radio(line):
    with open("/run/flickit-vm/air", "w") as air:
        air.write(line + "\n")


class Exported(dbus.service.Object):
    def __init__(self, path, interface, properties):
        super().__init__(bus, path)
        self.interface, self.properties = interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Advertisement(Exported):
    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        pass


class Characteristic(Exported):
    @dbus.service.method("org.bluez.GattCharacteristic1", in_signature="aya{sv}")
    def WriteValue(self, value, _):
        self.PropertiesChanged(self.interface, {"Value": value}, [])

    @dbus.service.method("org.bluez.GattCharacteristic1")
    def StartNotify(self):
        pass

    @dbus.service.method("org.bluez.GattCharacteristic1")
    def StopNotify(self):
        pass


class Application(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {e.__dbus_object_path__: {e.interface: e.properties} for e in (service, characteristic)}


advertisement = Advertisement(
    "/advertisement", "org.bluez.LEAdvertisement1", {"Type": "peripheral", "ServiceUUIDs": dbus.Array([ECHO], "s"), "LocalName": "echo"}
)
service = Exported("/app/service", "org.bluez.GattService1", {"UUID": ECHO, "Primary": True})
characteristic = Characteristic(
    "/app/characteristic",
    "org.bluez.GattCharacteristic1",
    {"UUID": ECHO, "Service": dbus.ObjectPath("/app/service"), "Flags": dbus.Array(["write-without-response", "notify"], "s")},
)
application = Application(bus, "/app")
heard = []
bus.add_signal_receiver(
    lambda interface, changed, _, path: heard.append(bytes(changed["Value"])) if "Value" in changed and path.startswith(PEER) else None,
    "PropertiesChanged",
    PROPERTIES,
    "org.bluez",
    path_keyword="path",
)
nothing = dbus.Dictionary({}, "sv")


def connect():
    start = time.monotonic()
    succeed(PEER, "org.bluez.Device1", "Connect")
    print(f"ok      connected ({time.monotonic() - start:.2f} s)")
    wait("services resolved", lambda: peer_is("ServicesResolved"))


succeed("/org/bluez/hci1", "org.bluez.GattManager1", "RegisterApplication", dbus.ObjectPath("/app"), nothing)
succeed("/org/bluez/hci1", "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", dbus.ObjectPath("/advertisement"), nothing)
succeed("/org/bluez/hci0", "org.bluez.Adapter1", "SetDiscoveryFilter", dbus.Dictionary({"Transport": "le"}, "sv"))
succeed("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
wait("found", lambda: PEER in objects())
device = objects()[PEER]["org.bluez.Device1"]
if device.get("Name") != "echo" or ECHO not in device["UUIDs"] or device.get("RSSI") != -50:
    raise SystemExit(f"FAILED  what was found: {device}")

# The controllers report an advertiser once per scan, so with discovery on the kernel would hear it again only after its 10 s round.
succeed("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
connect()
echo = next(p for p, i in objects().items() if i.get("org.bluez.GattCharacteristic1", {}).get("UUID") == ECHO and p.startswith(PEER))
succeed(echo, "org.bluez.GattCharacteristic1", "StartNotify")
for i in range(100):
    succeed(echo, "org.bluez.GattCharacteristic1", "WriteValue", dbus.Array(f"{i:0100}".encode(), "y"), dbus.Dictionary({"type": "command"}, "sv"))
wait("100 echoes of 100 bytes are back and right", lambda: heard == [f"{i:0100}".encode() for i in range(100)])

radio("drop 1")
wait("dropped", lambda: not peer_is("Connected"))
connect()
radio("range 1 off")
wait("out of range", lambda: not peer_is("Connected"))
GLib.timeout_add(3000, lambda: radio("range 1 on"))  # three seconds into the next Connect
connect()
succeed(PEER, "org.bluez.Device1", "Disconnect")
wait("disconnected", lambda: not peer_is("Connected"))
