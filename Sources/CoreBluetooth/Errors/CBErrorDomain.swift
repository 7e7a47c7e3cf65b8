/// Domain of the errors that have a ``CBError/Code-swift.enum`` for their code (contract D70).
public let CBErrorDomain: String = "CBErrorDomain"

/// Domain of the errors that have a ``CBATTError/Code-swift.enum`` for their code (contract D70).
public let CBATTErrorDomain: String = "CBATTErrorDomain"
