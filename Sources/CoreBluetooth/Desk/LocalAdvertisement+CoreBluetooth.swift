import BlueZ
import GATT

extension LocalAdvertisement {
    /// What a program wants to advertise, cut to what fits on the air (contract D50 to D54).
    ///
    /// - Parameter log: Hears what is left out.
    init(_ data: [String: Any]?, log: (String) -> Void) {
        self.init()
        name = data?[CBAdvertisementDataLocalNameKey] as? String
        services = (data?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []).map(\.bluetoothUUID)
        let excess = cutToFit()
        if let excess { log("not all can be advertised: \(excess)") }
    }

    /// For another run of the program.
    var dictionary: [String: Any] {
        var data: [String: Any] = [:]
        if let name { data[CBAdvertisementDataLocalNameKey] = name }
        if !services.isEmpty { data[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID($0) } }
        return data
    }
}
