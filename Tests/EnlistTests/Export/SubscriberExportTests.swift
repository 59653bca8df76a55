import Foundation
import Glibc
import Signals
import MailingList
import SQLiteStorage
import TestSupport
import Testing

@testable import enlist

@Suite struct SubscriberExportTests {
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
  func `an export writes every subscriber once with any batch size`(_ count: Int) async throws {
    let list = try ListUnderTest(consents: Array(repeating: 0, count: count))
    let lines = try await export(of: list).split(separator: "\r\n").dropFirst()
    #expect(lines.map { $0.prefix { $0 != "," } } == (0..<count).map { "\($0 * 2 + 1)" })
  }

  @Test(arguments: [
    [], [0], [1], [3], [1000], [0, 1, 0], [2, 0, 3], [3, 3, 3, 3], [0, 7, 0, 0, 2],
  ])
  func `an export holds a bounded number of consents, however many one person has`(
    _ counts: [Int]
  ) async throws {
    let list = try ListUnderTest(consents: counts)
    let lines = try await export(of: list, as: .ndjson, hasConsents: true).split(separator: "\n")
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
    #expect(list.mostConsents <= 3)
  }

  @Test func `an export with consents fails with the error of the store`() async throws {
    let list = try ListUnderTest(consents: [5], failingAfter: 2)
    await #expect(throws: ExportError(cause: .damaged)) {
      try await export(of: list, as: .ndjson, hasConsents: true)
    }
  }

  @Test func `an export fails with the error of the store`() async throws {
    let list = try ListUnderTest(consents: Array(repeating: 0, count: 9), failingAfter: 1)
    await #expect(throws: ExportError(cause: .damaged)) { try await export(of: list) }
  }

  @Test func `an export fails if the reader closes the output`() async throws {
    // Unlike the program, the test process does not ignore SIGPIPE by default.
    ThisProcess.ignoreWriteSignals()
    var pipes: [Int32] = [-1, -1]
    try #require(pipe(&pipes) == 0)
    close(pipes[0])
    defer { close(pipes[1]) }
    let export = SubscriberExport(
      list: try ListUnderTest(consents: [0]), format: .csv,
      output: OutputStream(descriptor: pipes[1]))
    await #expect(throws: OutputError.closed) { try await export.write() }
  }

  private func export(
    of list: ListUnderTest, as format: ExportFormat = .csv, hasConsents: Bool = false
  ) async throws -> String {
    let folder = try Folder()
    let descriptor = open(folder("list"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let export = SubscriberExport(
      list: list, format: format, output: OutputStream(descriptor: descriptor),
      hasConsents: hasConsents, batchSize: 3)
    try await export.write()
    return try folder.read("list")
  }
}

/// A list of people with consents, whose reads are counted, and fail after some.
///
/// Their ids are 1, 3, 5 and so on, as those between have been erased.
private final class ListUnderTest: ReadableList {
  private struct Reads {
    var count = 0
    var mostConsents = 0
  }

  private let store = ControlledStore()
  private let limit: Int
  private let reads = Lock(Reads())

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - counts: The number of consents of each person.
  ///   - limit: The number of reads that succeed.
  init(consents counts: [Int], failingAfter limit: Int = .max) throws {
    self.limit = limit
    var people: [ImportedPerson] = []
    for (index, count) in counts.enumerated() {
      people.append(try Self.person(index * 2 + 1, consents: count))
      people.append(try Self.person(index * 2 + 2, consents: 0))
    }
    let time = Timestamp(millisecondsSince1970: 0)
    _ = store.base.change { [people] list throws(StoreError) -> Void in
      for person in people { _ = try list.store([person], by: .command, at: time) }
      for id in stride(from: 2, through: people.count, by: 2) {
        _ = try list.erase(Int64(id), leaving: .nothing, by: .command, at: time) { _ in true }
      }
    }.blockingLast()
  }

  private static func person(_ id: Int, consents count: Int) throws -> ImportedPerson {
    var generator = RandomNumbers()
    var consents: [RecordedConsent] = []
    for number in 0..<count {
      let time = Timestamp(millisecondsSince1970: Int64(number))
      consents.append(
        RecordedConsent(
          subscriberID: 0, id: ExecutionID(at: time, using: &generator), kind: "requested",
          time: time, means: nil, requestID: nil, messageID: nil, wording: nil,
          consent: Consent(text: "\(id) \(number)")))
    }
    let time = Timestamp(millisecondsSince1970: 0)
    return ImportedPerson(
      address: try .sample("a\(id)@example.org"),
      membership: Membership(state: .subscribed, confirmedAt: time), leftAt: nil, locale: nil,
      createdAt: time, fields: nil, consents: consents)
  }

  /// The largest number of consents that were read at once.
  var mostConsents: Int { reads.withLock { $0.mostConsents } }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    .deferred {
      let count = self.reads.withLock { reads in
        reads.count += 1
        return reads.count
      }
      guard count <= self.limit else { return .fail(.damaged) }
      return self.store.base.read(body).do(next: { value in
        guard let consents = value as? [RecordedConsent] else { return }
        self.reads.withLock { $0.mostConsents = max($0.mostConsents, consents.count) }
      })
    }
  }
}
