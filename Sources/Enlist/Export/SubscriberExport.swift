internal import MailingList
internal import Signals

/// Writes the whole list, a bounded number of subscribers in memory at a time.
struct SubscriberExport: Sendable {
  /// Where the list is kept.
  let reader: any SubscriberReader
  /// How it is written.
  let format: ExportFormat
  /// How many subscribers are read at a time.
  var batchSize = 500

  /// Writes everything there is, in the order of first sign-ups.
  ///
  /// A batch begins behind the last id of the one before (keyset paging), so no reading lasts long
  /// enough to be in a writer's way, and who signs up meanwhile comes at the end.
  ///
  /// - Parameter output: Where to.
  /// - Throws: `ExportError`; what was written before stays written.
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
      try write(batch.map(format.record(of:)).joined(), to: output)
      last = end.id
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

/// Why not all of the list was written.
enum ExportError: Error, Hashable, Sendable {
  /// The store could not read.
  case store(StoreError)
  /// The output could not be written.
  case output(OutputError)
}

extension ExportError: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let error): "the database cannot be read: \(error)"
    case .output(let error): "\(error)"
    }
  }
}
