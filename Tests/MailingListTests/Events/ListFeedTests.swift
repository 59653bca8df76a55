import MailingList
import Signals
import TestSupport
import Testing

/// What the change feed has at each place.
@Suite struct ListFeedTests {
  private let store = ControlledStore()

  init() {
    store.change("UPDATE enlist.log_epoch SET epoch = 'e'")
  }

  /// Signs new people up, each of which is an event.
  private func add(_ count: Int) throws {
    for _ in 0..<count {
      _ = store.add(try .sample("p\(store.signUps.count)@example.org")).blockingLast()
    }
  }

  /// Deletes events as the purge does.
  private func expire(through position: Int64) {
    store.change("DELETE FROM enlist.events WHERE position <= ?1", .number(position))
  }

  private func read(
    from place: FeedPlace, kinds: Set<ListEvent.Kind> = Set(ListEvent.Kind.allCases)
  ) throws -> ListFeed.Part {
    try #require(ListFeed(store, kinds: kinds, limit: 2).read(from: place).blockingLast())
  }

  /// Reads until nothing follows, and returns the items with their places.
  private func items(from place: FeedPlace) throws -> [String] {
    var place = place
    var items: [String] = []
    while true {
      let part = try read(from: place)
      items += part.entries.map { "\($0.place) \($0.item.text)" }
      place = part.place
      if part.isComplete { return items }
    }
  }

  @Test func `a stream without a place begins at the end of the log`() throws {
    try add(3)
    #expect(try items(from: .end) == ["e-3 position"])
    #expect(try read(from: .end).place == .events(after: EventID(epoch: "e", position: 3)))
  }

  @Test func `events are read in parts, from the oldest one or after a place`() throws {
    try add(5)
    #expect(
      try items(from: .beginning)
        == ["e-1 requested", "e-2 requested", "e-3 requested", "e-4 requested", "e-5 requested"]
    )
    #expect(try items(from: FeedPlace("e-3")) == ["e-4 requested", "e-5 requested"])
    #expect(try items(from: FeedPlace("e-5")) == [])
    expire(through: 3)
    #expect(try items(from: .beginning) == ["e-4 requested", "e-5 requested"])
    #expect(try items(from: FeedPlace("e-3")) == ["e-4 requested", "e-5 requested"])
  }

  @Test func `an empty log has a place, too`() throws {
    #expect(try items(from: .beginning) == [])
    #expect(try items(from: FeedPlace("e-0")) == [])
    #expect(try items(from: .end) == ["e-0 position"])
    #expect(try items(from: FeedPlace("snapshot")) == ["e-0.0 begin 0", "e-0 end"])
  }

  @Test func `what is filtered out moves the place all the same`() throws {
    try add(2)
    let part = try read(from: .beginning, kinds: [.erased])
    #expect(part.entries.isEmpty)
    #expect(!part.isComplete)
    #expect("\(part.place)" == "e-2")
  }

  @Test func `a snapshot has the list, and then what happened since it began`() throws {
    try add(3)
    var part = try read(from: FeedPlace("snapshot"))
    #expect(part.entries.map(\.item) == [.begin(subscriberCount: 3)])
    part = try read(from: part.place)
    #expect(part.entries.map { "\($0.place) \($0.item.text)" } == ["e-3.1 of 1", "e-3.2 of 2"])
    try add(1)
    let rest = ["e-3.3 of 3", "e-3.4 of 4", "e-3 end", "e-4 requested"]
    #expect(try items(from: part.place) == rest)
    // The reader was interrupted, and resumes.
    #expect(try items(from: FeedPlace("e-3.2")) == rest)
    #expect(
      try items(from: FeedPlace("e-4.0"))
        == ["e-4.0 begin 4", "e-4.1 of 1", "e-4.2 of 2", "e-4.3 of 3", "e-4.4 of 4", "e-4 end"]
    )
  }

  @Test(
    arguments: [
      ("x-3", "epoch"), ("x-3.1", "epoch"), ("e-1", "expired"), ("e-0", "expired"),
      ("e-1.1", "expired"), ("e-9", "invalid"), ("e-9.1", "invalid"), ("nonsense", "invalid"),
    ]
  )
  func `a reader that cannot continue is told so, and gets the list`(
    place: String, reason: String
  ) throws {
    try add(4)
    expire(through: 3)
    #expect(
      try items(from: FeedPlace(place))
        == [
          "e-4.0 reset \(reason)", "e-4.0 begin 4", "e-4.1 of 1", "e-4.2 of 2", "e-4.3 of 3",
          "e-4.4 of 4", "e-4 end",
        ]
    )
  }

  @Test func `events that expire while a snapshot is read begin a new one`() throws {
    try add(4)
    let place = try read(from: try read(from: FeedPlace("snapshot")).place).place
    #expect("\(place)" == "e-4.2")
    try add(2)
    expire(through: 5)
    #expect(try items(from: place).first == "e-6.0 reset expired")
  }

  @Test func `a failure to read is one of the feed`() {
    store.failure = .unreachable
    for place in ["snapshot", "earliest", "e-1", "e-1.1", "x"] {
      let failure = Lock<StoreError?>(nil)
      ListFeed(store, limit: 2).read(from: FeedPlace(place))
        .subscribe(failed: { error in failure.withLock { $0 = error } })
      #expect(failure.withLock { $0 } == .unreachable, "\(place)")
    }
  }
}

extension ListFeed.Item {
  fileprivate var text: String {
    switch self {
    case .reset(let reason): "reset \(reason.rawValue)"
    case .begin(let count): "begin \(count)"
    case .subscriber(let subscriber): "of \(subscriber.id)"
    case .end: "end"
    case .event(let event): "\(event.kind)"
    case .position: "position"
    }
  }
}
