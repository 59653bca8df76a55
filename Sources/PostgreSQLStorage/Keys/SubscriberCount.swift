internal import MailingList
internal import Signals

/// A count of the subscribers of each state, part by part.
///
/// There is one connection for reading, and to count a long list takes seconds: in one statement it
/// would delay all other reads, and from some length on exceed the time that a statement may take.
/// Other reads take place between two parts, so the numbers are not those of one moment.
struct SubscriberCount: Sendable {
  /// The numbers of a part of the list.
  struct Part {
    /// The number for each state that occurs.
    let numbers: [Subscriber.State: Int]
    /// The last id of the part; `nil` if nothing follows.
    let last: Int64?
  }

  /// The number of subscribers that one statement counts, in some 20 ms.
  static let partSize = 65_536

  let reads: ReaderQueue
  let partSize: Int
  let observer: Observer<[Subscriber.State: Int], StoreError>

  /// Counts the subscribers after an id, and sends the sum.
  ///
  /// - Parameter id: Only subscribers with a greater id are counted; `nil` starts with the first.
  func run(after id: Int64? = nil, adding earlier: [Subscriber.State: Int] = [:]) {
    reads.read { [partSize] (session) throws(PostgreSQLError) in
      try Queries.subscriberCount(after: id, limit: partSize, in: session)
    }
    .subscribe(
      next: { part in
        let numbers = earlier.merging(part.numbers, uniquingKeysWith: +)
        if let last = part.last { return run(after: last, adding: numbers) }
        observer.send(numbers)
        observer.complete()
      },
      failed: { observer.fail($0) }
    )
  }
}
