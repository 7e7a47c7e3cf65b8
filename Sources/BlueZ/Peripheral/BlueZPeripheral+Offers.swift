import DBus
import EventLoops
public import GATT
import Synchronization

/// Publishing and advertising.
extension BlueZPeripheral {
    /// How long bluetoothd may take to register something.
    private static let registrationTime = Duration.seconds(10)

    /// Publishes services as one application.
    public func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        let number = nextNumber()
        let id = PublicationID(number)
        let taken = offers.values.filter { !$0.registration.isWithdrawn }.flatMap(\.characteristics).map(\.id)
        let problem = ApplicationTree.problem(with: services, taken: taken)
        add(Offer(content: .services(services), number: number, completion: completion), .publication(id), problem)
        return id
    }

    /// Takes services back, and answers what is asked of them. Centrals that are connected are told by bluetoothd.
    public func unpublish(_ id: PublicationID) {
        // At once, even if bluetoothd has not answered yet and keeps them a little longer.
        if let root = offers[.publication(id)]?.root, !root.isEmpty { stopServing(below: root) }
        perform(.publication(id)) { $0.withdraw() }
    }

    /// Advertises. `interval` is asked for where bluetoothd lets us choose, and left out where it does not.
    public func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        let number = nextNumber()
        let id = AdvertisementID(number)
        let offer = Offer(content: .advertisement(advertisement), number: number, completion: completion)
        add(offer, .advertisement(id), advertisement.excess)
        return id
    }

    /// Stops an advertisement. While the adapter is off it is not dropped yet, which Linux refuses, but when it is on again, before anything else is
    /// advertised. That of a program that ends meanwhile is back on the air with the power, until bluetoothd is started again.
    public func stopAdvertising(_ id: AdvertisementID) {
        perform(.advertisement(id)) { $0.withdraw() }
    }

    private func add(_ offer: Offer, _ key: Offer.Key, _ problem: String?) {
        let completion = offer.completion
        if let problem {
            loop.execute { completion(PeripheralError(.invalid, detail: problem)) }
        } else if site(for: offer) == nil {
            loop.execute { completion(PeripheralError(.notPoweredOn)) }
        } else {
            offers[key] = offer
            reconcile(key)
        }
    }

    // MARK: Registrations

    /// Registers what has to be registered anew.
    func reconcile() {
        for key in offers.sorted(by: { $0.value.number < $1.value.number }).map(\.key) { reconcile(key) }
    }

    private func reconcile(_ key: Offer.Key) {
        guard let offer = offers[key] else { return }
        let site = site(for: offer)
        perform(key) { $0.move(to: site) }
    }

    /// Gives a registration an input and does what follows.
    private func perform(_ key: Offer.Key, _ input: (inout Registration) -> [Registration.Action]) {
        guard var offer = offers[key] else { return }
        let actions = input(&offer.registration)
        offers[key] = offer
        for action in actions {
            switch action {
            case .register(let attempt): registerInTurn(key, attempt)
            case .unregister(let attempt, let isKnown): unregister(key, attempt, isKnown: isKnown)
            case .tell(let error): loop.execute { [completion = offer.completion] in completion(error) }
            case .retryLater(let pause):
                offers[key]?.retry?.cancel()
                offers[key]?.retry = loop.schedule(after: pause) { [weak self] in
                    self?.assumeIsolated { peripheral in peripheral.retry(key) }
                }
            case .forget:
                offers[key]?.retry?.cancel()
                offers[key] = nil
            }
        }
    }

    private func retry(_ key: Offer.Key) {
        reconcile(key)
        perform(key) { $0.retry() }
    }

    /// Registers, but an advertisement not before those that are being withdrawn are gone.
    ///
    /// bluetoothd gives an advertisement the lowest free number. If that is another one than the controller advertised with when a link
    /// was made, Linux (seen in 6.1, legacy advertising) goes back to the old number when the link ends, and advertises something that
    /// is not there: nobody can connect, and new advertisements may never get on the air.
    private func registerInTurn(_ key: Offer.Key, _ attempt: Registration.Attempt) {
        let isEarly = withdrawals > 0 || unsent.contains { $0.site == attempt.site }
        guard offers[key]?.needsPower == true, isEarly else { return register(key, attempt) }
        waiting.append((key, attempt))
    }

    private func registerWaiting() {
        guard withdrawals == 0 else { return }
        let ready = waiting
        waiting = []
        for (key, attempt) in ready {
            if attempt.site.era == era {
                registerInTurn(key, attempt)
            } else {
                perform(key) { $0.answered(attempt, PeripheralError(.notPoweredOn)) }
            }
        }
    }

    private func register(_ key: Offer.Key, _ attempt: Registration.Attempt) {
        export(key, attempt)
        guard let offer = offers[key] else { return }
        // bluetoothd reads the objects before it replies.
        call(
            attempt.site.adapter,
            offer.manager,
            "Register" + offer.noun,
            [.objectPath(offer.root), .properties([:])],
            timeout: Self.registrationTime
        ) { peripheral, result in
            peripheral.answered(key, attempt, result.failure)
        }
    }

    private func answered(_ key: Offer.Key, _ attempt: Registration.Attempt, _ error: DBusError?) {
        if let error { log("\(error)") }
        var refusal = error.flatMap { PeripheralError($0) }
        if let failure = refusal, offers[key]?.needsPower == true, !isPoweredOn {
            refusal = PeripheralError(.notPoweredOn, detail: failure.detail)  // contract D56
        }
        if let refusal, refusal.code == .invalid || refusal.code == .failed, offers[key]?.canOmitInterval == true {
            // Choosing the interval is an experimental feature: without it we advertise as the system does.
            offers[key]?.omitsInterval = true
            unregister(key, attempt, isKnown: error?.leavesDoubt ?? false)
            registerInTurn(key, attempt)
            return
        }
        perform(key) { $0.answered(attempt, refusal, isCertain: error?.leavesDoubt != true) }
    }

    private func unregister(_ key: Offer.Key, _ attempt: Registration.Attempt, isKnown: Bool) {
        guard let offer = offers[key] else { return }
        withdrawObjects(of: key)
        guard isKnown else { return }
        guard offer.needsPower else { return unregister(attempt.site, offer.manager, offer.noun, offer.root) { _ in } }
        unsent.append((attempt.site, offer.root))
        sendWithdrawals()
    }

    /// Withdraws advertisements; those of an adapter that is off, when it is on again.
    ///
    /// Linux refuses it before (seen in 6.1: "Network is down"), while bluetoothd takes it for done: the advertisement would be back on the air with
    /// the power, and nobody could stop it.
    func sendWithdrawals() {
        let due = unsent.filter { !isOff($0.site) }
        unsent.removeAll { !isOff($0.site) }
        // Another bluetoothd has begun with nothing on the air.
        for (site, root) in due where site.era == era {
            withdrawals += 1
            unregister(site, BlueZName.advertisingManager, "Advertisement", root) { peripheral in
                peripheral.withdrawals -= 1
                peripheral.registerWaiting()
            }
        }
        registerWaiting()
    }

    private func isOff(_ site: Registration.Site) -> Bool { site.era == era && isPoweredOn(site.adapter) == false }

    private func unregister(
        _ site: Registration.Site,
        _ manager: String,
        _ noun: String,
        _ root: String,
        then: @escaping @Sendable (isolated BlueZPeripheral) -> Void
    ) {
        call(site.adapter, manager, "Unregister" + noun, [.objectPath(root)], timeout: Self.registrationTime) { peripheral, result in
            // DoesNotExist: it was not, or is no longer, registered.
            if let error = result.failure, error.name != "org.bluez.Error.DoesNotExist" { peripheral.log("\(error)") }
            then(peripheral)
        }
    }

    // MARK: Objects

    /// Numbers the roots of exported objects. Several peripherals may share a connection.
    private static let rootCount = Atomic<UInt64>(0)

    private func export(_ key: Offer.Key, _ attempt: Registration.Attempt) {
        guard let offer = offers[key] else { return }
        let number = Self.rootCount.add(1, ordering: .relaxed).newValue
        let root = "/flickit/\(offer.noun.lowercased())\(number)"
        let objects =
            switch offer.content {
            case .services(let services): ApplicationTree(services, root: root).objects.map { object in (object.path, interface(of: object)) }
            case .advertisement(let advertisement): [(root, interface(of: advertisement, offer, key, attempt))]
            }
        let server = ObjectServer(session.assumeIsolated { $0.connection }, root: root)
        server.assumeIsolated { server in
            for (path, interface) in objects { server.add([interface], at: path) }
            server.start()
        }
        offers[key]?.server = server
        offers[key]?.root = root
        serve(offer, root: root)
    }

    private func interface(of object: ApplicationTree.Object) -> ObjectServer.Interface {
        ObjectServer.Interface(name: object.interface, properties: object.properties, methods: methods(object))
    }

    private func interface(
        of advertisement: LocalAdvertisement,
        _ offer: Offer,
        _ key: Offer.Key,
        _ attempt: Registration.Attempt
    ) -> ObjectServer.Interface {
        let release = handler("") { peripheral, call in
            call.reply()
            peripheral.perform(key) { $0.released(attempt) }
        }
        return ObjectServer.Interface(
            name: BlueZName.advertisement,
            properties: advertisement.properties(hasInterval: !offer.omitsInterval),
            methods: ["Release": release]
        )
    }

    private func withdrawObjects(of key: Offer.Key) {
        guard let offer = offers[key] else { return }
        offer.server?.assumeIsolated { $0.stop() }
        offers[key]?.server = nil
        stopServing(below: offer.root)
    }
}
