import Signals
import SQLiteStorage

/// A recorder of the warnings of a store.
final class Warnings: Sendable {
  private let list = Lock<[StoreWarning]>([])

  /// All warnings so far, in order.
  var all: [StoreWarning] { list.withLock { $0 } }

  /// Adds a warning; call it from any thread.
  @Sendable func add(_ warning: StoreWarning) {
    list.withLock { $0.append(warning) }
  }
}
