// swift-tools-version: 6.2

import PackageDescription

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]
if Context.environment["FLICKIT_WARNINGS_AS_ERRORS"] != nil { settings.append(.treatAllWarnings(as: .error)) }

let package = Package(
    name: "FlicKit",
    products: [
        .library(name: "FlicKit", targets: ["FlicKit"]),
        .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
        .library(name: "NordicUART", targets: ["NordicUART"]),
        .library(name: "FlicClient", targets: ["FlicClient"]),
        .library(name: "UART", targets: ["UART"]),
        .library(name: "BlueZ", targets: ["BlueZ"]),
        .library(name: "ClickClassifier", targets: ["ClickClassifier"]),
        .library(name: "FlicSimulator", targets: ["FlicSimulator"]),
        .executable(name: "flic", targets: ["flic"]),
        .executable(name: "nus", targets: ["nus"]),
        .executable(name: "flic-bench", targets: ["flic-bench"]),
        .executable(name: "sensor", targets: ["sensor"]),
    ],
    traits: [
        .trait(name: "MQTT", description: "Home Assistant and other MQTT clients; needs libmosquitto (Debian: libmosquitto-dev)."),
        .trait(name: "Webhooks", description: "Web hooks; needs libcurl (Debian: libcurl4-openssl-dev)."),
    ],
    targets: [
        // C libraries
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CBluetooth"),
        .systemLibrary(name: "CSockets"),
        .systemLibrary(name: "CProcesses"),
        .target(name: "CAllocations"),  // for flic-bench alone
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),  // trait MQTT
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),  // trait Webhooks

        // Pure: no clock, no random numbers, no I/O
        .target(name: "ClickClassifier", swiftSettings: settings),
        .target(name: "FlicProtocol", dependencies: ["CSodium"], swiftSettings: settings),

        // Vocabulary of the transport
        .target(name: "EventLoops", dependencies: ["CSockets"], swiftSettings: settings),
        .target(name: "Logs", dependencies: ["EventLoops"], swiftSettings: settings),
        .target(name: "GATT", dependencies: ["EventLoops"], swiftSettings: settings),

        // Transport: org.bluez over libdbus
        .target(name: "DBus", dependencies: ["CDBus", "EventLoops"], swiftSettings: settings),
        .target(name: "BlueZ", dependencies: ["CBluetooth", "DBus", "EventLoops", "GATT"], swiftSettings: settings),

        // Swift-native API
        .target(
            name: "FlicClient",
            dependencies: ["BlueZ", "ClickClassifier", "EventLoops", "FlicProtocol", "GATT", "Logs"],
            swiftSettings: settings
        ),
        .target(
            name: "FlicSimulator",
            dependencies: ["DBus", "EventLoops", "FlicClient", "FlicProtocol", "GATT"],
            swiftSettings: settings
        ),

        .target(name: "UART", dependencies: ["EventLoops", "GATT"], swiftSettings: settings),

        // Facades
        .target(name: "FlicKit", dependencies: ["BlueZ", "ClickClassifier", "EventLoops", "FlicClient", "GATT"], swiftSettings: settings),
        .target(name: "CoreBluetooth", dependencies: ["BlueZ", "EventLoops", "GATT", "Logs"], swiftSettings: settings),
        .target(
            name: "NordicUART",
            dependencies: ["BlueZ", "CoreBluetooth", "EventLoops", "GATT", "Logs", "UART"],
            swiftSettings: settings
        ),

        // The daemon. Without their traits the two transports refuse everything, and say why.
        .target(
            name: "MQTT",
            dependencies: ["EventLoops", .target(name: "CMosquitto", condition: .when(traits: ["MQTT"]))],
            swiftSettings: settings
        ),
        .target(
            name: "HTTP",
            dependencies: ["EventLoops", .target(name: "CCurl", condition: .when(traits: ["Webhooks"]))],
            swiftSettings: settings
        ),
        .target(
            name: "FlicBridge",
            dependencies: ["CProcesses", "CSockets", "EventLoops", "FlicClient", "GATT", "HTTP", "Logs", "MQTT"],
            swiftSettings: settings
        ),

        // Programs
        .target(name: "Commands", dependencies: ["EventLoops", "Logs"], swiftSettings: settings),
        .executableTarget(
            name: "flic",
            dependencies: ["BlueZ", "Commands", "FlicBridge", "FlicClient", "FlicSimulator"],
            exclude: ["Packaging"],
            swiftSettings: settings
        ),
        .executableTarget(name: "nus", dependencies: ["BlueZ", "Commands", "EventLoops", "GATT", "Logs", "UART"], swiftSettings: settings),
        .executableTarget(
            name: "flic-bench",
            dependencies: [
                "BlueZ", "CAllocations", "ClickClassifier", "Commands", "DBus", "EventLoops", "FlicBridge", "FlicClient", "FlicProtocol",
                "FlicSimulator",
                "GATT",
            ],
            swiftSettings: settings
        ),

        // Examples
        .executableTarget(name: "sensor", dependencies: ["CoreBluetooth"], path: "Sources/Examples/Sensor", swiftSettings: settings),

        // Tests
        .target(
            name: "Fixtures",
            path: "Tests/Fixtures",
            exclude: ["README.md"],
            resources: [.copy("Vectors")],
            swiftSettings: settings
        ),
        .executableTarget(name: "BareClient", dependencies: ["CDBus"], path: "Tests/BareClient"),
        .target(name: "VirtualRadio", dependencies: ["EventLoops", "GATT"], path: "Tests/VirtualRadio", swiftSettings: settings),
        .executableTarget(
            name: "FaultMatrix",
            dependencies: ["EventLoops", "FlicClient", "FlicSimulator", "GATT", "VirtualRadio"],
            path: "Tests/FaultMatrix",
            swiftSettings: settings
        ),
        .testTarget(name: "EventLoopsTests", dependencies: ["EventLoops", "FlicSimulator"], swiftSettings: settings),
        .testTarget(name: "LogsTests", dependencies: ["FlicSimulator", "Logs"], swiftSettings: settings),
        .testTarget(name: "GATTTests", dependencies: ["EventLoops", "GATT"], swiftSettings: settings),
        .testTarget(name: "ClickClassifierTests", dependencies: ["ClickClassifier", "Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "FlicProtocolTests",
            dependencies: ["FlicClient", "FlicProtocol", "FlicSimulator", "Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlicSimulatorTests",
            dependencies: ["ClickClassifier", "EventLoops", "FlicClient", "FlicProtocol", "FlicSimulator", "Fixtures", "GATT"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlicClientTests",
            dependencies: ["ClickClassifier", "EventLoops", "FlicClient", "FlicProtocol", "FlicSimulator", "Fixtures", "GATT"],
            swiftSettings: settings
        ),
        .testTarget(name: "DBusTests", dependencies: ["DBus", "EventLoops", "Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "BlueZTests",
            dependencies: ["BlueZ", "CBluetooth", "DBus", "EventLoops", "Fixtures", "FlicClient", "FlicProtocol", "FlicSimulator", "GATT"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BlueZVMTests",
            dependencies: [
                "BlueZ", "CoreBluetooth", "DBus", "EventLoops", "FaultMatrix", "Fixtures", "FlicClient", "FlicSimulator", "GATT", "Logs",
                "VirtualRadio",
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "CommandsTests", dependencies: ["Commands", "flic", "nus"], swiftSettings: settings),
        .testTarget(
            name: "FlicCommandTests",
            dependencies: ["BlueZ", "DBus", "Fixtures", "FlicBridge", "FlicClient", "FlicSimulator", "flic"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlicBridgeTests",
            dependencies: ["ClickClassifier", "EventLoops", "Fixtures", "FlicBridge", "FlicClient", "FlicSimulator", "HTTP", "Logs", "MQTT"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlicBenchTests",
            dependencies: ["Commands", "EventLoops", "FlicSimulator", "flic-bench"],
            swiftSettings: settings
        ),
        .testTarget(name: "FlicKitTests", dependencies: ["FlicKit", "FlicSimulator"], swiftSettings: settings),
        .testTarget(
            name: "CoreBluetoothTests",
            dependencies: ["BlueZ", "CoreBluetooth", "EventLoops", "Fixtures", "GATT", "Logs"],
            swiftSettings: settings
        ),
        .target(name: "UARTDoubles", dependencies: ["EventLoops", "GATT", "UART"], path: "Tests/UARTDoubles", swiftSettings: settings),
        .testTarget(name: "UARTTests", dependencies: ["EventLoops", "FlicSimulator", "GATT", "UART", "UARTDoubles"], swiftSettings: settings),
        .testTarget(
            name: "NordicUARTTests",
            dependencies: ["CoreBluetooth", "EventLoops", "FlicSimulator", "GATT", "Logs", "NordicUART", "UART", "UARTDoubles"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NusCommandTests",
            dependencies: ["BlueZ", "Commands", "EventLoops", "Fixtures", "FlicSimulator", "GATT", "UART", "UARTDoubles", "nus"],
            swiftSettings: settings
        ),
    ]
)

// Fuzz targets. Only for .ci/fuzz, which links each of them with libFuzzer's main function.
if Context.environment["FLICKIT_FUZZ"] != nil {
    let targets: [(name: String, dependencies: [Target.Dependency])] = [
        ("Packets", ["FlicProtocol"]),
        ("Frames", ["FlicProtocol"]),
        ("Client", ["FlicProtocol"]),
        ("Button", ["FlicClient", "FlicProtocol", "FlicSimulator"]),
        ("Values", ["CDBus", "DBus", "FuzzBus"]),
        ("Tree", ["BlueZ", "DBus", "FuzzBus", "GATT"]),
        ("Store", ["FlicClient"]),
        ("Configuration", ["FlicBridge"]),
        ("Requests", ["FlicBridge"]),
        ("Lines", ["UART"]),
    ]
    package.targets += [
        .target(name: "FuzzInput", dependencies: ["Fixtures"], path: "Tests/Fuzz/Input", swiftSettings: settings),
        .target(name: "FuzzBus", dependencies: ["DBus", "FuzzInput"], path: "Tests/Fuzz/Bus", swiftSettings: settings),
    ]
    for (name, dependencies) in targets {
        package.targets.append(
            .target(name: "Fuzz\(name)", dependencies: dependencies + ["Fixtures", "FuzzInput"], path: "Tests/Fuzz/\(name)", swiftSettings: settings)
        )
        package.products.append(.library(name: "Fuzz\(name)", type: .static, targets: ["Fuzz\(name)"]))
    }
}
