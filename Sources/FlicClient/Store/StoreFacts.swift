package import FoundationEssentials

/// What could be seen of a store by somebody who only looks, while its owner may be using it.
package struct StoreFacts: Sendable, Equatable {
    /// What is in `buttons.json`, or was before.
    package enum Contents: Sendable, Equatable {
        /// There is no file: nothing has been paired.
        case none
        case records([ButtonRecord])
        /// It is damaged; these are the records of the previous copy, nil if that is of no use either.
        case damaged(copy: [ButtonRecord]?)
        /// A newer version of this library has written it.
        case newerVersion
        /// It cannot be read.
        case unreadable(PairingStoreError)
    }

    /// A process that has the store.
    package struct Holder: Sendable, Equatable {
        package var process: Int32
        /// What the program is called; empty if that is not shown.
        package var name: String

        package init(process: Int32, name: String) {
            self.process = process
            self.name = name
        }
    }

    package var directory: URL
    package var contents = Contents.none
    /// Why records could not be saved, whoever has the store now; nil if they could.
    package var obstacle: PairingStoreError?
    /// Paths of what others may read, or change, that holds or leads to keys.
    package var exposed: [String] = []
    /// Paths of what belongs to another user.
    package var foreign: [String] = []
    /// Who has the store now.
    package var holder: Holder?
    /// Bytes that an ordinary user may still write there; nil if the system does not say.
    package var freeBytes: UInt64?

    package init(directory: URL) { self.directory = directory }

    /// The records that a program would work with.
    package var records: [ButtonRecord] {
        switch contents {
        case .records(let records): records
        case .damaged(let copy): copy ?? []
        case .none, .newerVersion, .unreadable: []
        }
    }
}
