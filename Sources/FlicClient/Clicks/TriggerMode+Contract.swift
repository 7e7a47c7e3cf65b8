import ClickClassifier

/// By the raw values of the contract (B8).
extension TriggerMode {
    private static let inContractOrder: [TriggerMode] = [.clickAndHold, .clickAndDoubleClick, .clickAndDoubleClickAndHold, .click]

    /// The first one where the contract has none.
    init(contractOrder: Int) {
        self = Self.inContractOrder.indices.contains(contractOrder) ? Self.inContractOrder[contractOrder] : Self.inContractOrder[0]
    }

    var contractOrder: Int { Self.inContractOrder.firstIndex(of: self) ?? 0 }
}
