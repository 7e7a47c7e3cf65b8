/// How the values of characteristics travel between bluetoothd and this program.
public enum ValueTransfer: Sendable, Hashable {
    /// By calls and signals (WriteValue, StartNotify). Other programs can use the same characteristics beside this one.
    case messages
    /// By sockets (AcquireWrite, AcquireNotify), which bypass the bus and are faster. While they are open no other program can use these
    /// characteristics. Where bluetoothd has no sockets to give, or another program listens already, messages are used.
    case sockets
}
