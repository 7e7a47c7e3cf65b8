package import FlicProtocol

/// A decision of a session, by its name and values.
package struct TraceAction: Codable, Equatable, Sendable, CustomStringConvertible {
    package var action: String
    package var frame: String?
    package var masked: Bool?
    package var code: UInt8?
    package var count: UInt32?
    package var clock: UInt64?
    package var queued: Bool?
    package var ageTicks: UInt64?
    /// Of a Flic Duo.
    package var button: UInt8?
    package var gesture: UInt8?
    /// x, y and z.
    package var acceleration: [Int8]?
    package var smallCount: UInt32?
    package var angle: Int32?
    /// Of a Flic Twist.
    package var mode: UInt8?
    package var position: UInt16?
    package var boot: UInt32?
    package var battery: UInt16?
    package var firmware: UInt32?
    package var name: TraceName?
    package var renameTime: UInt64?
    package var uuid: String?
    package var serialNumber: String?
    package var isDuo: Bool?
    package var reason: String?
    package var acknowledged: Int?
    package var sent: Int?
    package var total: Int?

    private init(named action: String) { self.action = action }

    /// - Parameters:
    ///   - names: nil leaves names as they are.
    ///   - frame: What is kept of a frame.
    init(_ action: HostSession.Action, _ names: NameMask?, frame: ([UInt8]) -> [UInt8]) {
        switch action {
        case .send(let bytes):
            self.init(named: "send")
            let kept = frame(bytes)
            self.frame = Hexadecimal.text(kept)
            masked = kept == bytes ? nil : true
        case .paired(let button):
            self.init(named: "paired")
            uuid = Hexadecimal.text(button.uuid)
            serialNumber = button.serialNumber
            name = TraceName(button.name, names)
            firmware = button.firmwareVersion
            battery = button.battery.raw
            isDuo = button.isDuo
        case .verified: self.init(named: "verified")
        case .event(let event):
            self.init(named: "event")
            code = event.code.rawValue
            count = event.count
            clock = event.timestamp
            queued = event.wasQueued
            ageTicks = event.ageTicks
            button = event.button == .big ? nil : event.button.rawValue
            gesture = event.gesture?.rawValue
            acceleration = event.acceleration.map { [$0.x, $0.y, $0.z] }
            mode = event.twistMode
        case .isDuo: self.init(named: "isDuo")
        case .pushTwist(let turn):
            self.init(named: "pushTwist")
            button = turn.button.rawValue
            angle = turn.angle
        case .rotated(let turn):
            self.init(named: "rotated")
            mode = turn.mode
            angle = turn.delta
            position = turn.position
        case .progress(let position):
            self.init(named: "progress")
            boot = position.bootID
            count = position.eventCount
            smallCount = position.smallEventCount == 0 ? nil : position.smallEventCount
        case .queueFinished: self.init(named: "queueFinished")
        case .advertisingConfigured: self.init(named: "advertisingConfigured")
        case .battery(let level):
            self.init(named: "battery")
            battery = level.raw
        case .firmwareVersion(let version):
            self.init(named: "firmwareVersion")
            firmware = version
        case .renameConfirmed(let rename):
            self.init(named: "renameConfirmed")
            name = TraceName(rename.name, names)
            renameTime = rename.timestamp
        case .nameChanged(let changed):
            self.init(named: "nameChanged")
            name = TraceName(changed, names)
        case .firmwareProgress(let progress):
            self.init(named: "firmwareProgress")
            acknowledged = progress.acknowledged
            sent = progress.sent
            total = progress.total
        case .firmwareInstalled: self.init(named: "firmwareInstalled")
        case .firmwareFailed(let failure):
            self.init(named: "firmwareFailed")
            reason = "\(failure)"
        case .ended(let end):
            self.init(named: "ended")
            reason = "\(end)"
        case .failed(let failure):
            self.init(named: "failed")
            reason = "\(failure)"
        case .unpaired: self.init(named: "unpaired")
        case .ignored(let why):
            self.init(named: "ignored")
            reason = "\(why)"
        }
    }

    /// The same without a mask, for a session that is led by a trace.
    package init(_ action: HostSession.Action) { self.init(action, nil) { $0 } }

    package var description: String {
        let values: [(String, String?)] = [
            ("", frame), ("code", code.map { "\($0)" }), ("count", count.map { "\($0)" }), ("clock", clock.map { "\($0)" }),
            ("button", button.map { "\($0)" }), ("gesture", gesture.map { "\($0)" }), ("acceleration", acceleration.map { "\($0)" }),
            ("small button", smallCount.map { "\($0)" }), ("angle", angle.map { "\($0)" }),
            ("mode", mode.map { "\($0)" }), ("position", position.map { "\($0)" }),
            ("queued, age", queued == true ? ageTicks.map { "\($0)" } ?? "" : nil), ("boot", boot.map { "\($0)" }),
            ("battery", battery.map { "\($0)" }), ("firmware", firmware.map { "\($0)" }), ("name of bytes:", name.map { "\($0.bytes)" }),
            ("time", renameTime.map { "\($0)" }), ("uuid", uuid), ("serial number", serialNumber), ("", reason),
            ("acknowledged", acknowledged.map { "\($0)" }), ("sent", sent.map { "\($0)" }), ("of", total.map { "\($0)" }),
        ]
        let texts = values.compactMap { label, value in value.map { label.isEmpty ? $0 : "\(label) \($0)" } }
        return texts.isEmpty ? action : "\(action) (\(texts.joined(separator: ", ")))"
    }
}

/// A name in a trace.
package struct TraceName: Codable, Equatable, Sendable {
    /// Length in UTF-8.
    package var bytes: Int
    /// In the place of the name. nil if the name was damaged when it was received: what a mask made of it would not be what it makes of
    /// the bytes that were received.
    package var mask: String?

    init(_ name: ButtonName, _ names: NameMask?) {
        bytes = name.bytes.count
        mask = name.text.contains("\u{FFFD}") ? nil : (names?.mask(name) ?? name).text
    }

    /// What a session is told.
    package var buttonName: ButtonName { ButtonName(mask ?? String(repeating: "?", count: min(max(bytes, 0), ButtonName.largestByteCount))) }
}
