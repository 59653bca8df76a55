import MailingList
import Testing

/// The ids of events, and the places of the change feed.
@Suite struct FeedPlaceTests {
  private static let id = EventID(epoch: "k3f9a2c1", position: 48_213)

  @Test(
    arguments: [
      ("snapshot", FeedPlace.snapshot(nil, after: nil)), ("earliest", .beginning),
      ("k3f9a2c1-48213", .events(after: id)), ("k3f9a2c1-48213.7", .snapshot(id, after: 7)),
      ("k3f9a2c1-48213.0", .snapshot(id, after: nil)), ("", .invalid), ("k3f9a2c1", .invalid),
      ("k3f9a2c1-", .invalid), ("-1", .invalid), ("a-+1", .invalid), ("a-01", .invalid),
      ("a-1-2", .invalid), ("a-1.", .invalid), ("a-1.x", .invalid), ("a-1.-2", .invalid),
      ("a-1.2.3", .invalid), ("a-9223372036854775808", .invalid),
    ]
  )
  func `a text is a place only if it is one that was sent`(text: String, place: FeedPlace) {
    #expect(FeedPlace(text) == place)
    if place.id != nil { #expect("\(place)" == text) }
  }

  @Test(
    arguments: [
      ("subscriber.confirmed", [ListEvent.Kind.confirmed]),
      ("mail.*", [.mailAccepted, .mailRejected]),
      ("mail.*,subscriber.erased", [.mailAccepted, .mailRejected, .erased]),
      ("mail.*,mail.accepted", [.mailAccepted, .mailRejected]),
    ]
  )
  func `kinds of events are named one by one or by their group`(
    list: String, kinds: [ListEvent.Kind]
  ) {
    #expect(ListEvent.Kind.kinds(named: list) == Set(kinds))
  }

  @Test(arguments: ["", "mail", "mail.*,", "*", "subscriber.*,x", "mail. *", "Mail.*"])
  func `a list with an unknown kind is rejected`(list: String) {
    #expect(ListEvent.Kind.kinds(named: list) == nil)
  }

  @Test(arguments: ["form", "owner", "system", "cli", "key:7Hq2mXw9"])
  func `an actor is read as it was written`(text: String) {
    #expect(EventActor(text)?.text == text)
  }

  @Test func `every event has a name of its own`() {
    let names = ListEvent.Kind.allCases.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(EventActor("someone") == nil)
  }
}
