import BlueZ

/// Judges the way to bluetoothd: the bus, and whether it lets us pass.
extension DoctorFacts {
    private var isContainer: Bool { system.isContainer }

    /// The words of the error, where nothing better can be said.
    private var said: String { bluetooth.detail.isEmpty ? "" : ": \(bluetooth.detail.printable.withoutFullStop)" }

    // MARK: Bus

    var bus: Finding {
        let start = "Start it ('sudo systemctl start dbus'), or install it (Debian: 'sudo apt install dbus')."
        switch bluetooth.bus {
        case nil:
            return .ok(.bus, "The system bus answers.")
        case .noSocket where busAddress != nil,
            .nobodyListens where busAddress != nil,
            .invalidAddress where busAddress != nil,
            .failed where busAddress != nil:
            let address = (busAddress ?? "").printable
            let cure = "Correct that variable, or unset it: the usual bus is found without it."
            return .problem(.bus, .bluetoothUnavailable, "busAddress", "DBUS_SYSTEM_BUS_ADDRESS names no bus ('\(address)').", cure: cure)
        case .noSocket where isContainer:
            let cure = "Give it the host's: '-v /run/dbus:/run/dbus:ro' (Docker, Podman)."
            return .problem(.bus, .bluetoothUnavailable, "busMissing", "This container has no system bus.", cure: cure)
        case .noSocket:
            return .problem(.bus, .bluetoothUnavailable, "busMissing", "There is no system bus: its socket is missing.", cure: start)
        case .nobodyListens where isContainer:
            let cure = "Restart the container; if it has the socket alone, give it the whole directory: '-v /run/dbus:/run/dbus:ro'."
            return .problem(.bus, .bluetoothUnavailable, "busDead", "This container has the socket of a bus that has ended.", cure: cure)
        case .nobodyListens:
            return .problem(.bus, .bluetoothUnavailable, "busDead", "Nobody listens at the socket of the system bus.", cure: start)
        case .socketDenied:
            let cure =
                isContainer
                ? "With SELinux: '--security-opt label=disable'; else see the mode and owner of the socket outside."
                : "See 'ls -l /run/dbus/system_bus_socket', and what SELinux or AppArmor say in 'sudo dmesg'."
            return .problem(.bus, .denied, "busDenied", "This user may not open the socket of the system bus.", cure: cure)
        case .identityRejected:
            let sentence =
                "The system bus does not accept who this user is (EXTERNAL was rejected), as in a rootless container with other user numbers."
            let cure = "Keep the number: '--userns=keep-id' (Podman), or a user whom the host knows by the same number ('--user', Docker)."
            return .problem(.bus, .denied, "identityRejected", sentence, cure: cure)
        case .appArmor:
            return .problem(.bus, .denied, "appArmor", "AppArmor keeps this program from the system bus.", cure: Self.appArmorCure)
        case .policy:
            let cure = "See the policies in /etc/dbus-1/system.d and /usr/share/dbus-1/system.d."
            return .problem(.bus, .denied, "policy", "The system bus does not let this user in\(said).", cure: cure)
        case .full:
            let cure = "End programs of this user that use the bus, or raise 'max_connections_per_user' in its configuration."
            return .problem(.bus, .failed, "busFull", "The system bus takes no more connections\(said).", cure: cure)
        case .silent:
            let cure = "See 'systemctl status dbus'; a restart of the machine restarts it in good order."
            return .problem(.bus, .bluetoothUnavailable, "busSilent", "The system bus does not answer.", cure: cure)
        case .failed, .invalidAddress:
            let cure = "See 'systemctl status dbus'."
            return .problem(.bus, .bluetoothUnavailable, "busFailed", "The system bus cannot be used\(said).", cure: cure)
        }
    }

    private static let appArmorCure = "In a container: '--security-opt apparmor=unconfined', or a profile that allows D-Bus with org.bluez."

    /// Some profiles let a program listen but not talk to devices (home-assistant/home-assistant.io#46908), which shows only when it does.
    var confinement: Finding? {
        guard let profile = system.appArmorProfile else { return nil }
        let sentence = "AppArmor holds this program to the profile '\(profile.printable)'; some let it hear buttons but not talk to them."
        return .note(.confinement, "confined", sentence, cure: Self.appArmorCure)
    }

    // MARK: bluetoothd

    var service: Finding {
        let restart = "'sudo systemctl restart bluetooth' starts it afresh; 'journalctl -u bluetooth' says what happened."
        let enable = "'sudo systemctl enable --now bluetooth' starts it, now and whenever the machine starts."
        let old = "Install BlueZ 5.55 or later; 'bluetoothctl --version' shows what there is."
        switch bluetooth.service {
        case nil:
            guard bluetooth.wasStarted else { return .ok(.service, "bluetoothd answers.") }
            return .note(.service, "started", "bluetoothd was not running; the bus has started it, as it does for every command.")
        case .notRunning where isContainer:
            let cure = "Start it on the host, whose bus this is: \(enable)"
            return .problem(.service, .bluetoothUnavailable, "notRunning", "There is no bluetoothd on this bus.", cure: cure)
        case .notRunning where !system.hasDaemon:
            let cure = "Install it (Debian: 'sudo apt install bluez')."
            return .problem(.service, .bluetoothUnavailable, "notInstalled", "The Bluetooth service, bluetoothd, is not installed.", cure: cure)
        case .notRunning:
            return .problem(.service, .bluetoothUnavailable, "notRunning", "bluetoothd is not running, and the bus cannot start it.", cure: enable)
        case .disabled:
            return .problem(.service, .bluetoothUnavailable, "disabled", "bluetoothd is not running, and not enabled.", cure: enable)
        case .masked:
            let cure = "'sudo systemctl unmask bluetooth', then \(enable)"
            return .problem(.service, .bluetoothUnavailable, "masked", "bluetoothd is not running, and its unit is masked.", cure: cure)
        case .startTimedOut:
            let cure = "See 'systemctl status bluetooth'; where there is no adapter, systemd does not start it."
            let sentence = "bluetoothd is not running, and did not come up when the bus was asked to start it."
            return .problem(.service, .bluetoothUnavailable, "startTimedOut", sentence, cure: cure)
        case .startFailed:
            let cure = "\(enable) 'systemctl status bluetooth' says what happened."
            return .problem(.service, .bluetoothUnavailable, "startFailed", "bluetoothd is not running and cannot be started\(said).", cure: cure)
        case .hung:
            return .problem(.service, .bluetoothUnavailable, "hung", "bluetoothd is there but does not answer: it hangs.", cure: restart)
        case .gone:
            return .problem(.service, .bluetoothUnavailable, "gone", "bluetoothd went away when it was asked: it may have crashed.", cure: restart)
        case .appArmor:
            return .problem(.service, .denied, "appArmor", "AppArmor keeps this program from bluetoothd.", cure: Self.appArmorCure)
        case .policy:
            let cure =
                "Join the group that may, often 'bluetooth' ('sudo usermod -aG bluetooth NAME', then log in anew), or see the policy of org.bluez."
            return .problem(.service, .denied, "policy", "The policy of the system bus does not let this user talk to bluetoothd.", cure: cure)
        case .old:
            return .problem(.service, .bluetoothUnavailable, "tooOld", "bluetoothd is older than 5.0.", cure: old)
        case .senseless:
            return .problem(.service, .bluetoothUnavailable, "senseless", "bluetoothd gave an answer that makes no sense.", cure: restart)
        case .failed:
            return .problem(.service, .bluetoothUnavailable, "failed", "bluetoothd cannot be used\(said).", cure: restart)
        }
    }
}
