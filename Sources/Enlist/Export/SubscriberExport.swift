internal import MailingList
internal import Signals

/// An export of the whole list with a bounded number of subscribers in memory.
struct SubscriberExport: Sendable {
  /// The source of the subscribers.
  let reader: any SubscriberReader
  /// The output format.
  let format: ExportFormat
  /// The source of the consents; `nil` exports none.
  var consents: (any ConsentReader)?
  /// The number of subscribers per read.
  var batchSize = 500

  /// Writes all subscribers in the order of their first sign-ups.
  ///
  /// Each batch starts after the last id of the previous batch (keyset paging), so no read blocks a
  /// writer for long, and people who sign up during the export come last.
  ///
  /// - Parameter output: The stream to write to.
  /// - Throws: `ExportError`; the output before the error stays written.
  func write(to output: OutputStream) async throws(ExportError) {
    try write(format.header, to: output)
    var last: Int64?
    while true {
      let batch: [Subscriber]
      do throws(StoreError) {
        batch = try await reader.subscribers(after: last, limit: batchSize).last() ?? []
      } catch {
        throw .store(error)
      }
      guard let end = batch.last else { return }
      let consents = try await readConsents(of: batch)
      let records = batch.map { subscriber in
        format.record(of: subscriber, consents: consents.map { $0[subscriber.id] ?? [] })
      }
      try write(records.joined(), to: output)
      last = end.id
    }
  }

  /// Reads the consents of a batch, by subscriber; `nil` if they are not exported.
  private func readConsents(
    of batch: [Subscriber]
  ) async throws(ExportError) -> [Int64: [RecordedConsent]]? {
    guard let consents, let first = batch.first?.id, let last = batch.last?.id else { return nil }
    do throws(StoreError) {
      let list = try await consents.consents(ofSubscribers: first...last).last() ?? []
      return Dictionary(grouping: list, by: \.subscriberID)
    } catch {
      throw .store(error)
    }
  }

  private func write(_ text: String, to output: OutputStream) throws(ExportError) {
    do throws(OutputError) {
      try output.write(Array(text.utf8))
    } catch {
      throw .output(error)
    }
  }
}

/// An error that ended an export before the end of the list.
enum ExportError: Error, Hashable, Sendable {
  /// Reading from the store failed.
  case store(StoreError)
  /// Writing the output failed.
  case output(OutputError)
}

extension ExportError: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let error): "cannot read the database: \(error)"
    case .output(let error): "\(error)"
    }
  }
}
