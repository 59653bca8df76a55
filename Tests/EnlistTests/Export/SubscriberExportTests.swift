import Foundation
import Glibc
import MailingList
import Signals
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

  @Test func `an export fails with the error of the store`() async throws {
    let store = ListedSubscribers(count: 9, failure: .damaged)
    await #expect(throws: ExportError.store(.damaged)) { try await export(of: store) }
  }

  @Test func `an export fails if the reader closes the output`() async throws {
    // Unlike the program, the test process does not ignore SIGPIPE by default.
    ProcessSignals.ignoreWriteSignals()
    var pipes: [Int32] = [-1, -1]
    try #require(pipe(&pipes) == 0)
    close(pipes[0])
    defer { close(pipes[1]) }
    let export = SubscriberExport(reader: ListedSubscribers(count: 1), format: .csv)
    await #expect(throws: ExportError.output(.closed)) {
      try await export.write(to: OutputStream(descriptor: pipes[1]))
    }
  }

  private func export(of store: ListedSubscribers) async throws -> String {
    let folder = try TemporaryFolder()
    let descriptor = open(folder.path(of: "list"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let export = SubscriberExport(reader: store, format: .csv, batchSize: 3)
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
      id: id,
      address: "a\(id)@example.org",
      state: .subscribed,
      locale: nil,
      createdAt: .now,
      confirmedAt: nil,
      unsubscribedAt: nil
    )
  }
}
