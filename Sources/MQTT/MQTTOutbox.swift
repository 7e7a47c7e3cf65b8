/// What waits to be published, and what a broker has not acknowledged yet.
///
/// Letters are kept until a broker has them, over any number of connections, in their order, each up to its age. Notes tell how something is now: a new one
/// takes the place of one that waits with the same topic, and all of them are void with the connection. Letters go first.
///
/// A letter that was on its way when its connection was lost is sent again, with its place in the order: whether the broker had it cannot be known
/// (MQTT 3.1.1, 4.3.2).
struct MQTTOutbox {
    /// Letters that are kept; of more, the oldest is dropped.
    static let mostLetters = 1000
    /// Notes that wait; more are refused.
    static let mostNotes = 8192
    /// Messages that a connection carries at a time.
    static let mostUnderWay = 16

    /// A message that is made only when it is sent, by how long it has waited.
    struct Letter {
        let since: Duration
        let maxAge: Duration?
        let make: (_ waited: Duration) -> MQTTMessage

        var deadline: Duration? { maxAge.map { since + $0 } }
    }

    private enum Content {
        case letter(Letter)
        case note
    }

    private var letters: [Letter] = []
    /// By topic.
    private var notes: [String: MQTTMessage] = [:]
    /// Topics of ``notes``, in their order.
    private var topics: [String] = []
    private var underWay: [(number: Int32, sent: Duration, content: Content)] = []

    /// Whether nothing waits and nothing is under way.
    var isEmpty: Bool { letters.isEmpty && notes.isEmpty && underWay.isEmpty }

    /// When the message was sent that is under way for the longest time.
    var oldestUnderWay: Duration? { underWay.first?.sent }

    /// When the next of those that wait will be too old.
    var nextDeadline: Duration? { letters.lazy.compactMap(\.deadline).min() }

    /// - Returns: The letter that had to go, if there are too many.
    mutating func add(_ letter: Letter) -> Letter? {
        letters.append(letter)
        return letters.count > Self.mostLetters ? letters.removeFirst() : nil
    }

    /// - Returns: Whether there was room.
    mutating func add(_ note: MQTTMessage) -> Bool {
        if notes[note.topic] == nil {
            guard topics.count < Self.mostNotes else { return false }
            topics.append(note.topic)
        }
        notes[note.topic] = note
        return true
    }

    /// Takes out the letters that wait and are too old.
    mutating func expire(now: Duration) -> [Letter] {
        func isOver(_ letter: Letter) -> Bool { letter.deadline.map { $0 <= now } ?? false }
        let old = letters.filter(isOver)
        if !old.isEmpty { letters.removeAll(where: isOver) }
        return old
    }

    /// Sends what there is room for, the first ones first.
    ///
    /// - Parameters:
    ///   - send: Hands a message to the connection and returns its number, or throws.
    ///   - lose: Hears of a letter, or of a note (nil), that no connection will take.
    /// - Throws: What `send` throws, unless it is `invalid`. What was to be sent stays.
    mutating func send(
        now: Duration,
        _ send: (MQTTMessage) throws(MQTTError) -> Int32,
        lose: (Letter?, MQTTMessage, MQTTError) -> Void
    ) throws(MQTTError) {
        while underWay.count < Self.mostUnderWay {
            let letter = letters.first
            guard let message = letter.map({ $0.make(max(now - $0.since, .zero)) }) ?? topics.first.flatMap({ notes[$0] }) else { return }
            do throws(MQTTError) {
                underWay.append((try send(message), now, letter.map { .letter($0) } ?? .note))
            } catch {
                guard error.code == .invalid else { throw error }
                lose(letter, message, error)
            }
            if letter == nil { notes[topics.removeFirst()] = nil } else { letters.removeFirst() }
        }
    }

    /// Takes out all letters.
    mutating func removeLetters() -> [Letter] {
        connectionEnded()
        defer { letters = [] }
        return letters
    }

    /// The broker has a message.
    mutating func acknowledge(_ number: Int32) {
        underWay.removeAll { $0.number == number }
    }

    /// The connection has ended: letters that were under way wait again, in front; notes are void.
    mutating func connectionEnded() {
        let unfinished = underWay.compactMap { entry in if case .letter(let letter) = entry.content { letter } else { nil } }
        letters.insert(contentsOf: unfinished, at: 0)
        underWay = []
        notes = [:]
        topics = []
    }
}
