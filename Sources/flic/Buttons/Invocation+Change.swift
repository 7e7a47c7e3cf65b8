import FlicBridge

/// Commands that show or change what is kept of paired buttons, through the daemon if one runs. They need no radio.
extension Invocation {
    /// What is the same for all of these commands, for their help.
    static let settingHelp = """
        It is kept for everything that uses the button. Needs no Bluetooth: what is stored is changed, by the daemon if one runs.

        With --json: one object with the members of 'flic list', and event ("changed") if something was set.
        """

    /// The paired buttons that these names mean; all if there are none.
    func buttons(_ names: [String]) async throws -> [ButtonFacts] {
        guard let daemon = try await daemon() else {
            return try await chosenButtons(names, in: try await store().load()).map { ButtonFacts($0) }
        }
        let (snapshot, _) = try await daemon.subscribe(buttons: names.isEmpty ? nil : names, events: [])
        guard !snapshot.buttons.isEmpty else { throw Failure.noButtons }
        return snapshot.buttons.map(\.facts)
    }

    /// Changes the button that the first operand names.
    func button(changing change: ButtonChange) async throws -> ButtonFacts {
        let name = arguments.operands[0]
        if let daemon = try await daemon() {
            var facts: ButtonFacts = try await daemon.request(change.request(name))
            facts.event = "changed"
            return facts
        }
        let facts = try await withStoredButtons { flic in
            let buttons = await flic.buttons
            let chosen = try ButtonChoice(buttons: buttons.map(\.info)).button(name)
            guard let button = buttons.first(where: { $0.identifier == chosen.identifier }) else { throw FlicError(.alreadyForgotten) }
            await change.apply(to: button)
            return ButtonFacts(button.info, event: "changed")
        }
        remark("It counts from the next connection on.")
        return facts
    }

    /// The button that the first operand names.
    func button() async throws -> ButtonFacts {
        guard let facts = try await buttons(Array(arguments.operands.prefix(1))).first else { throw Failure.noButtons }
        return facts
    }

    /// Shows a setting of the button that the first operand names, after it was changed.
    ///
    /// JSON, one line: ``ButtonFacts``, with `event` (`changed`) after a change.
    func showSetting(_ text: (ButtonFacts) -> String, changing change: ButtonChange?) async throws {
        let facts = if let change { try await button(changing: change) } else { try await button() }
        if isJSON { try printJSON(facts) } else { print("\(facts.title): \(text(facts))") }
    }

    /// Names can be shorter than they were asked for.
    func remarkOnName(_ facts: ButtonFacts, asked name: String) {
        let given = facts.name ?? ""
        if given != name { remark("Names are limited to 23 bytes: the button is named \"\(given.inOneLine)\".") }
    }
}
