package import EventLoops
import FlicClient
package import FoundationEssentials

/// Counts what a bridge tells, for monitoring: OpenMetrics text (OpenMetrics 1.0.0).
///
/// Series have the labels `button` (the serial number) and `name`. Counters begin when the program does; those of a button that is forgotten go with it.
///
/// It is an actor on the loop of the bridge.
package actor BridgeMetrics {
    /// More metrics, from another part of the program. Asked on the loop each time that the text is wanted.
    package typealias Source = @Sendable () -> [MetricFamily]

    private let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let version: String
    private let date: @Sendable () -> Date
    private let sources: [Source]
    private var bluetooth = CentralState.unknown
    /// In the order of pairing.
    private var buttons: [(id: UUID, metrics: ButtonMetrics)] = []

    /// - Parameters:
    ///   - version: That of the program.
    ///   - date: The time of day.
    package init(loop: any EventLoop, version: String, sources: [Source] = [], date: @escaping @Sendable () -> Date = { Date() }) {
        self.loop = loop
        self.version = version
        self.sources = sources
        self.date = date
    }

    /// An outlet of the bridge: called on the loop.
    package nonisolated func hear(_ notice: BridgeNotice) { assumeIsolated { $0.count(notice) } }

    private func count(_ notice: BridgeNotice) {
        switch notice {
        case .added(let info):
            buttons.removeAll { $0.id == info.identifier }
            buttons.append((info.identifier, ButtonMetrics(info)))
        case .removed(let info): buttons.removeAll { $0.id == info.identifier }
        case .bluetooth(let state): bluetooth = state
        case .changed(let info): update(info) { _ in }
        case .button(let notice, let info): update(info) { $0.count(notice, at: loop.now, date: date()) }
        }
    }

    private func update(_ info: ButtonInfo, _ count: (inout ButtonMetrics) -> Void) {
        guard let index = buttons.firstIndex(where: { $0.id == info.identifier }) else { return }
        buttons[index].metrics.info = info
        count(&buttons[index].metrics)
    }

    /// All metrics as they are now.
    package var text: String {
        let program = MetricFamily(
            "flickit_build",
            .info,
            help: "The version of the program.",
            samples: [.init(1, suffix: "_info", labels: [.init("version", version)])]
        )
        let adapter = MetricFamily(
            "flickit_adapter_powered",
            .gauge,
            help: "Whether Bluetooth can be used.",
            samples: [.init(bluetooth == .poweredOn ? 1 : 0)]
        )
        let slots = MetricFamily(
            "flickit_slots_in_use",
            .gauge,
            help: "Links with buttons.",
            samples: [.init(Double(buttons.count { $0.metrics.isLinked }))]
        )
        return MetricFamily.text([program, adapter, slots] + families + sources.flatMap { $0() })
    }

    private var families: [MetricFamily] {
        [
            family("connected", .gauge, help: "Whether there is a link.") { [.init($0.isLinked ? 1 : 0, labels: $0.labels)] },
            family("ready", .gauge, help: "Whether the button is verified, so that presses can come.") {
                [.init($0.info.isReady ? 1 : 0, labels: $0.labels)]
            },
            family("battery_volts", .gauge, unit: "volts", help: "Battery at the last sample.") { button in
                button.info.battery.map { [.init(ButtonFacts.rounded($0.volts), labels: button.labels)] } ?? []
            },
            family("presses", .counter, help: "What was done with the button. Queued: before it was ready.") { button in
                ButtonMetrics.Press.all.map { press in
                    let labels = [MetricFamily.Label("kind", press.kind.rawValue), .init("queued", "\(press.isQueued)")]
                    return .init(Double(button.presses[press] ?? 0), suffix: "_total", labels: button.labels + labels)
                }
            },
            family(
                "press_latency_seconds",
                .histogram,
                unit: "seconds",
                help: "By how much a down or up came later than the fastest of the last minute, by the button's clock."
            ) { $0.delays.samples($0.labels) },
            family("reconnects", .counter, help: "Links made anew, by the reason for which the one before had ended.") { button in
                button.reconnects.sorted { $0.key < $1.key }.map {
                    .init(Double($0.value), suffix: "_total", labels: button.labels + [.init("reason", $0.key)])
                }
            },
            family("last_seen_seconds", .gauge, unit: "seconds", help: "When the button was last heard, in seconds since 1970.") { button in
                button.lastSeen.map { [.init(($0.timeIntervalSince1970 * 1000).rounded() / 1000, labels: button.labels)] } ?? []
            },
        ]
    }

    private func family(
        _ name: String,
        _ kind: MetricFamily.Kind,
        unit: String? = nil,
        help: String,
        _ samples: (ButtonMetrics) -> [MetricFamily.Sample]
    ) -> MetricFamily {
        MetricFamily("flickit_button_\(name)", kind, unit: unit, help: help, samples: buttons.flatMap { samples($0.metrics) })
    }
}

extension ButtonMetrics {
    fileprivate var isLinked: Bool { info.state == .connected || info.state == .disconnecting }
}
