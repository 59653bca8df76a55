import Locks
import SQLiteStorage

/// The warnings of a store, in their order.
final class Warnings: Sendable {
  private let list = Lock<[StoreWarning]>([])

  /// All that have come so far.
  var all: [StoreWarning] { list.withLock { $0 } }

  /// Adds one; from any thread.
  @Sendable func add(_ warning: StoreWarning) {
    list.withLock { $0.append(warning) }
  }
}
