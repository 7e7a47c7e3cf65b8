import CoreBluetooth

// A small sensor: a temperature that can be read and is notified, and a note that centrals can write. Any phone with a Bluetooth explorer
// can use it.
//
//     swift run sensor [NAME]

let sensor = Sensor(name: CommandLine.arguments.dropFirst().first ?? "FlicKit sensor")
sensor.start()
dispatchMain()
