/// The optional methods of a ``CBPeripheralManagerDelegate``, for programs that relay calls with a question mark (contract A7):
///
/// ```swift
/// other?.peripheralManager?(peripheral, didAdd: service, error: error)
/// ```
public struct CBPeripheralManagerOptionalMethods {
    fileprivate let delegate: any CBPeripheralManagerDelegate

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:willRestoreState:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        delegate.peripheralManager(peripheral, willRestoreState: dict)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didAdd:error:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        delegate.peripheralManager(peripheral, didAdd: service, error: error)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:central:didSubscribeTo:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        delegate.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:central:didUnsubscribeFrom:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        delegate.peripheralManager(peripheral, central: central, didUnsubscribeFrom: characteristic)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didReceiveRead:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        delegate.peripheralManager(peripheral, didReceiveRead: request)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didReceiveWrite:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        delegate.peripheralManager(peripheral, didReceiveWrite: requests)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didPublishL2CAPChannel:error:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        delegate.peripheralManager(peripheral, didPublishL2CAPChannel: PSM, error: error)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didUnpublishL2CAPChannel:error:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        delegate.peripheralManager(peripheral, didUnpublishL2CAPChannel: PSM, error: error)
    }

    /// Relays ``CBPeripheralManagerDelegate/peripheralManager(_:didOpen:error:)``.
    public func callAsFunction(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        delegate.peripheralManager(peripheral, didOpen: channel, error: error)
    }

    /// The optional method that tells of advertising (contract A7, D32).
    public struct DidStartAdvertising {
        fileprivate let delegate: any CBPeripheralManagerDelegate

        /// Relays ``CBPeripheralManagerDelegate/peripheralManagerDidStartAdvertising(_:error:)``.
        public func callAsFunction(_ peripheral: CBPeripheralManager, error: (any Error)?) {
            delegate.peripheralManagerDidStartAdvertising(peripheral, error: error)
        }
    }

    /// The optional method that tells of room for updates (contract A7, D38).
    public struct IsReady {
        fileprivate let delegate: any CBPeripheralManagerDelegate

        /// Relays ``CBPeripheralManagerDelegate/peripheralManagerIsReady(toUpdateSubscribers:)``.
        public func callAsFunction(toUpdateSubscribers peripheral: CBPeripheralManager) {
            delegate.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
        }
    }
}

extension CBPeripheralManagerDelegate {
    /// The optional methods whose names begin so (contract A7). Never nil, also where a method is not implemented: then calling it does nothing.
    public var peripheralManager: CBPeripheralManagerOptionalMethods? { CBPeripheralManagerOptionalMethods(delegate: self) }

    /// The optional method of this name (contract A7). Never nil, also where it is not implemented: then calling it does nothing.
    public var peripheralManagerDidStartAdvertising: CBPeripheralManagerOptionalMethods.DidStartAdvertising? {
        CBPeripheralManagerOptionalMethods.DidStartAdvertising(delegate: self)
    }

    /// The optional method of this name (contract A7). Never nil, also where it is not implemented: then calling it does nothing.
    public var peripheralManagerIsReady: CBPeripheralManagerOptionalMethods.IsReady? {
        CBPeripheralManagerOptionalMethods.IsReady(delegate: self)
    }
}
