import MailingList
import Testing

@testable import PostgreSQLStorage

/// What the rows of the log mean to a follower.
@Suite struct FollowedLogTests {
  private static func row(_ last: Int64, _ payloads: Int64...) -> LogRow {
    LogRow(last: last, payloads: payloads)
  }

  private static func messages(_ values: Int64...) -> SharedStatusChange {
    .messages(values.map { StatusPayload(rawValue: $0) })
  }

  /// A log that has begun with an empty table and seen three messages.
  private static var seen: FollowedLog {
    var log = FollowedLog()
    _ = log.begin(epoch: "a", newest: nil, oldest: nil, history: 10, reason: nil)
    _ = log.accept([row(2, 1, 2), row(3, 3)])
    return log
  }

  @Test func `an empty log begins with position 1`() {
    var log = FollowedLog()
    #expect(
      log.begin(epoch: "a", newest: nil, oldest: nil, history: 10, reason: nil)
        == .began(epoch: "a", next: 1, reason: nil)
    )
    #expect(log.accept([Self.row(2, 7, 8)]) == [Self.messages(7, 8)])
    #expect(log.position == 2)
  }

  @Test func `a log begins with the row that contains the oldest message to keep`() {
    var log = FollowedLog()
    let newest = Self.row(20, 20)
    #expect(
      log.begin(epoch: "a", newest: newest, oldest: Self.row(3, 3), history: 5, reason: nil) == nil)
    #expect(log.position == 15)
    #expect(
      log.accept([Self.row(16, 14, 15, 16), Self.row(20, 17, 18, 19, 20)])
        == [.began(epoch: "a", next: 14, reason: nil), Self.messages(14, 15, 16, 17, 18, 19, 20)]
    )
  }

  @Test(
    arguments: [
      ([row(3, 3)], row(2, 1, 2), .continues),
      ([row(3, 3), row(4, 4)], row(2, 1, 2), .continues),
      ([row(3, 9)], row(2, 1, 2), .lost),
      ([row(3, 2, 3)], row(1, 1), .lost),
      ([], nil, .lost),
      ([], row(2, 1, 2), .lost),
      ([row(4, 4)], row(2, 1, 2), .lost),
      ([row(5, 4, 5)], row(5, 4, 5), .truncated),
      ([row(9, 9)], row(9, 9), .truncated),
      ([row(4, 3, 4)], row(4, 3, 4), .lost),
    ] as [([LogRow], LogRow?, FollowedLog.Finding)]
  )
  func `compares the last row that was seen`(
    rows: [LogRow], oldest: LogRow?, finding: FollowedLog.Finding
  ) {
    #expect(Self.seen.finding(rows, oldest: oldest) == finding)
  }

  @Test func `a gap begins again within the epoch`() {
    var log = Self.seen
    #expect(
      log.accept([Self.row(4, 4), Self.row(9, 9), Self.row(10, 10)])
        == [
          Self.messages(4), .began(epoch: "a", next: 9, reason: .expired), Self.messages(9, 10),
        ]
    )
  }

  @Test func `rows that overlap those before are those of another history`() {
    var log = Self.seen
    #expect(log.accept([Self.row(4, 3, 4)]) == nil)
  }

  @Test func `remembers the epochs before its own`() {
    var log = Self.seen
    #expect(!log.isPast("a"))
    #expect(log.change(to: "b") == .began(epoch: "b", next: 4, reason: .epoch))
    #expect(log.isPast("a"))
    #expect(!log.isPast("c"))
    #expect(log.knownEpochs == ["a", "b"])
    #expect(log.accept([Self.row(4, 4)]) == [Self.messages(4)])
    let newest = Self.row(2, 1, 2)
    #expect(
      log.begin(epoch: "c", newest: newest, oldest: nil, history: 0, reason: .epoch)
        == .began(epoch: "c", next: 3, reason: .epoch)
    )
    #expect(log.finding([newest], oldest: newest) == .continues)
  }
}
