/// Scheduled work that runs once, or never if it is disposed before.
final class CancellableWork: Disposable {
  private let work: Lock<(@Sendable () -> Void)?>

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = Lock(work)
  }

  var isDisposed: Bool { work.withLock { $0 == nil } }

  func run() {
    take()?()
  }

  func dispose() {
    _ = take()
  }

  private func take() -> (@Sendable () -> Void)? {
    work.withLock { work in
      defer { work = nil }
      return work
    }
  }
}
