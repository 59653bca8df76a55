package import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that a reader returns consents in the order of subscribers and times, a part at a time.
  ///
  /// - Parameter reader: A reader of the list, which is empty.
  package func expectConsents(from reader: any ReadableList) async throws {
    var expected: [[ExecutionID]] = [[], [], []]
    for number in 0..<21 {
      // Three of each person have the same time.
      let time = 1_800_000_000_000 + Int64(number / 9)
      let signUp = try SignUp.sample("ada\(number % 3)@example.org", at: time)
      try await add(signUp)
      expected[number % 3].append(signUp.id)
    }
    let ids = try await subscribers().map(\.id)
    try #require(ids.count == 3)
    for (range, people) in [(ids[0]...ids[2], 0...2), (ids[1]...ids[1], 1...1)] {
      for limit in [1, 2, 7, 50] {
        var read: [RecordedConsent] = []
        while true {
          let part =
            try await reader
            .consents(ofSubscribers: range, after: read.last, limit: limit)
            .values().flatMap(\.self)
          #expect(part.count <= limit)
          if part.isEmpty { break }
          read += part
        }
        #expect(read.map(\.subscriberID) == people.flatMap { Array(repeating: ids[$0], count: 7) })
        let sorted = people.flatMap { person in
          expected[person].sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
        #expect(read.map(\.id) == sorted)
      }
    }
  }
}
