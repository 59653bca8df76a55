import Foundation
import Glibc
import Signals
import MailingList
import TestSupport
import Testing

@testable import enlist

@Suite struct SubscriberExportTests {
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
  func `an export writes every subscriber once with any batch size`(_ count: Int64) async throws {
    let store = ListedSubscribers(count: count)
    let lines = try await export(of: store).split(separator: "\r\n").dropFirst()
    #expect(lines.map { $0.prefix { $0 != "," } } == (0..<count).map { "\($0 * 10 + 1)" })
  }

  @Test(arguments: [
    [], [0], [1], [3], [1000], [0, 1, 0], [2, 0, 3], [3, 3, 3, 3], [0, 7, 0, 0, 2],
  ])
  func `an export holds a bounded number of consents, however many one person has`(
    _ counts: [Int]
  ) async throws {
    let consents = ListedConsents(counts: counts)
    let store = ListedSubscribers(count: Int64(counts.count))
    let lines = try await export(of: store, consents, as: .ndjson).split(separator: "\n")
    #expect(lines.count == counts.count)
    for (line, count) in zip(lines, counts) {
      struct Line: Decodable {
        struct Consent: Decodable { let text: String }

        let id: Int
        let consents: [Consent]
      }

      let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      #expect(line.consents.map(\.text) == (0..<count).map { "\(line.id) \($0)" })
    }
    #expect(consents.largestLimit <= 3)
  }

  @Test func `an export with consents fails with the error of the store`() async throws {
    let consents = ListedConsents(counts: [5], failure: .damaged)
    await #expect(throws: ExportError.store(.damaged)) {
      try await export(of: ListedSubscribers(count: 1), consents, as: .ndjson)
    }
  }

  @Test func `an export fails with the error of the store`() async throws {
    let store = ListedSubscribers(count: 9, failure: .damaged)
    await #expect(throws: ExportError.store(.damaged)) { try await export(of: store) }
  }

  @Test func `an export fails if the reader closes the output`() async throws {
    // Unlike the program, the test process does not ignore SIGPIPE by default.
    ThisProcess.ignoreWriteSignals()
    var pipes: [Int32] = [-1, -1]
    try #require(pipe(&pipes) == 0)
    close(pipes[0])
    defer { close(pipes[1]) }
    let export = SubscriberExport(reader: ListedSubscribers(count: 1), format: .csv)
    await #expect(throws: ExportError.output(.closed)) {
      try await export.write(to: OutputStream(descriptor: pipes[1]))
    }
  }

  private func export(
    of store: ListedSubscribers, _ consents: ListedConsents? = nil, as format: ExportFormat = .csv
  ) async throws -> String {
    let folder = try Folder()
    let descriptor = open(folder("list"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let export = SubscriberExport(reader: store, format: format, consents: consents, batchSize: 3)
    try await export.write(to: OutputStream(descriptor: descriptor))
    return try folder.read("list")
  }
}

/// A list with a given number of subscribers, whose ids are 1, 11, 21 and so on.
private struct ListedSubscribers: SubscriberReader {
  var count: Int64
  /// The error of every read after the first batch.
  var failure: StoreError?

  func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    Signal { observer in
      if let failure, id != nil {
        observer.fail(failure)
        return nil
      }
      let ids = (0..<count).map { $0 * 10 + 1 }.filter { $0 > id ?? .min }.prefix(limit)
      observer.send(ids.map(subscriber))
      observer.complete()
      return nil
    }
  }

  private func subscriber(_ id: Int64) -> Subscriber {
    Subscriber(
      id: id, address: "a\(id)@example.org", state: .subscribed, locale: nil, createdAt: .now,
      confirmedAt: nil, unsubscribedAt: nil)
  }
}

/// The consents of subscribers 1, 11, 21 and so on, whose ids increase.
private final class ListedConsents: ConsentReader {
  private let consents: [RecordedConsent]
  private let failure: StoreError?
  private let limit = Lock(0)

  init(counts: [Int], failure: StoreError? = nil) {
    var generator = RandomNumbers()
    consents = counts.enumerated().flatMap { index, count in
      (0..<count).map { number in
        let time = Timestamp(millisecondsSince1970: Int64(number))
        return RecordedConsent(
          subscriberID: Int64(index * 10 + 1), id: ExecutionID(at: time, using: &generator),
          kind: "requested", time: time, means: nil, requestID: nil, messageID: nil, wording: nil,
          consent: Consent(text: "\(index * 10 + 1) \(number)"))
      }
    }
    self.failure = failure
  }

  /// The largest number of consents that were requested at once.
  var largestLimit: Int { limit.withLock { $0 } }

  func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    self.limit.withLock { $0 = max($0, limit) }
    if let failure, last != nil { return .fail(failure) }
    let start = last.flatMap { last in consents.firstIndex { $0 === last } }.map { $0 + 1 } ?? 0
    let found = consents[start...].filter { subscribers.contains($0.subscriberID) }
    return Signal([Array(found.prefix(limit))])
  }
}
