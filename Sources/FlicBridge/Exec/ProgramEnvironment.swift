import FlicClient

/// The variables that a program gets.
///
/// | variable | |
/// | --- | --- |
/// | `FLICKIT_BUTTON_ID` | identity of the button: 32 hexadecimal digits, the same on every machine |
/// | `FLICKIT_NAME` | its name; not set if it has none |
/// | `FLICKIT_SERIAL` | its serial number |
/// | `FLICKIT_EVENT` | what was done, as ``PressEvent/Kind`` names it |
/// | `FLICKIT_BUTTON_NUMBER` | of a Flic Duo: 0 is the big button, 1 the small one; not set for others |
/// | `FLICKIT_TWIST_MODE` | of a Flic Twist: the mode in which it happened, 0 to 12; not set for others |
/// | `FLICKIT_QUEUED` | `true` or `false` |
/// | `FLICKIT_AGE` | seconds between a queued press and the moment the button was ready, or 0 |
/// | `FLICKIT_COUNT` | the button's event counter |
/// | `FLICKIT_BATTERY_VOLTS` | at the last sample; not set before there is one |
///
/// Then those of the configuration, and of its own those by which programs find each other and speak to people, ``inherited``.
enum ProgramEnvironment {
    /// In front of the names of those that tell of an event.
    private static let prefix = "FLICKIT_"

    /// What the daemon has and passes on.
    static let inherited = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "TMPDIR",
        "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    ]
    private static let usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    static func variables(of record: EventRecord, configured: [String: String], own: (String) -> String?) -> [String: String] {
        var variables = ["PATH": usualPath]
        for name in inherited { if let value = own(name) { variables[name] = value } }
        variables.merge(configured) { $1 }
        let told = [
            "BUTTON_ID": record.uuid, "NAME": record.name, "SERIAL": record.button, "EVENT": record.event,
            "BUTTON_NUMBER": record.buttonNumber.map { "\($0)" },
            "TWIST_MODE": record.twistMode.map { "\($0)" },
            "QUEUED": record.queued.map { "\($0)" },
            "AGE": record.age.map { "\($0)" }, "COUNT": record.count.map { "\($0)" },
            "BATTERY_VOLTS": record.volts.map { "\($0)" },
        ]
        // A name comes from the radio, and NUL would end it.
        for (name, value) in told { variables[prefix + name] = value?.replacing("\0", with: "") }
        return variables
    }

    /// Whether people may give a variable this name.
    static func isFree(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 255, !name.hasPrefix(prefix) else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) && name.utf8.allSatisfy(isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
