extension HostSession {
    /// What the driver has to do, in this order.
    package enum Action: Equatable, Sendable {
        /// Send a frame (one GATT value).
        case send([UInt8])
        /// The button is paired: store this before anything else. ``verified`` follows.
        case paired(PairedButton)
        /// What was taken for a Flic 2 is a Flic Duo: store this. ``verified`` follows.
        case isDuo
        /// The session is ready; from here on there are events.
        case verified
        /// Deliver an event.
        case event(ButtonEvent)
        /// A button of a Flic Duo is turned while it is held down.
        case pushTwist(PushTwist)
        /// A Flic Twist is turned.
        case rotated(TwistTurn)
        /// Store the position: the events up to it have been delivered.
        case progress(EventPosition)
        /// All queued events have been delivered.
        case queueFinished
        /// Advertising has been configured for the current boot id, as it is wished for now.
        case advertisingConfigured
        /// A battery sample, raw (see ``BatteryLevel``).
        case battery(BatteryLevel)
        case firmwareVersion(UInt32)
        /// The button has this app's name; the rename is no longer pending.
        case renameConfirmed(Rename)
        /// Another app has renamed the button.
        case nameChanged(ButtonName)
        /// A firmware update has come so far.
        case firmwareProgress(FirmwareProgress)
        /// The button has all of the image, the signature is right, and it has been asked to end the link; then it restarts.
        case firmwareInstalled
        /// The update came to nothing; the session goes on.
        case firmwareFailed(FirmwareFailure)
        /// The button ended the session; the link may still be up. Nothing follows.
        case ended(EndReason)
        /// The session failed. Nothing follows.
        case failed(Failure)
        /// The button has proved that the pairing is gone: delete it. Nothing follows.
        case unpaired
        /// Nothing to do; for traces.
        case ignored(IgnoreReason)
    }

    /// Why the button ended a session (protocol 6.6).
    package enum EndReason: Hashable, Sendable {
        case pingNotAnswered
        case wrongSignature
        /// Another session with the same pairing has been verified.
        case replaced
        /// Answer to our own request.
        case requested
        case other(UInt8)

        /// A Flic Twist has numbers of its own (protocol 14.1).
        package init(_ code: UInt8, _ dialect: Dialect = .flic2) {
            self =
                switch (dialect, code) {
                case (.flic2, 0): .pingNotAnswered
                case (.flic2, 1), (.twist, 0): .wrongSignature
                case (.flic2, 2): .replaced
                case (.flic2, 3), (.twist, 1): .requested
                default: .other(code)
                }
        }
    }

    /// Why a session failed (protocol 6.7).
    package enum Failure: Hashable, Sendable {
        /// The verification took too long.
        case timedOut
        /// The button belongs to a brand that insists on its own app.
        case appCredentialsDenied
        /// The certificate is for another address.
        case unexpectedAddress
        /// The certificate is not the vendor's.
        case invalidCertificate
        /// The button calls our proof wrong.
        case invalidVerifier
        /// The button's proof is wrong.
        case invalidCalculatedSignature
        case quickVerifySignatureMismatch
        case packetSignatureMismatch
        case tooManyApps
        case notInPublicMode
        /// The button refuses for a reason we do not know.
        case unknownRefusal(UInt8)
        /// The button denied the pairing and then proved that it has it.
        case pairingDeniedButPresent
        /// The link has this ATT MTU, which does not do for a Flic Twist.
        case mtuTooSmall(Int)
        /// A request of this opcode was not answered.
        case unanswered(opcode: UInt8)
    }

    /// Why something received was left alone. Opcodes are ``Packet/sessionOpcode``s.
    package enum IgnoreReason: Hashable, Sendable {
        /// No session has been started, or it is over.
        case noSession
        /// A frame without content, or a packet too short for its opcode.
        case tooShort
        case notMine
        case oversize
        /// The answer to another client's request.
        case foreignTemporaryID
        /// The opcode does not fit the state.
        case unexpected(opcode: UInt8)
        case unknown(opcode: UInt8)
        /// An answer to nothing.
        case unrequested(opcode: UInt8)
        /// The frame before, once more.
        case repeated
        /// An event that has been delivered before.
        case duplicate(count: UInt32)
        case noItems
        /// A report of a rotation that cannot be.
        case impossible
        /// A press from before the pairing, which a Flic Twist cannot be told to keep to itself.
        case beforePairing(count: UInt32)
    }
}
