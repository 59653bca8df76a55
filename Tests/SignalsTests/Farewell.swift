/// An object that does something when it is released.
final class Farewell: Sendable {
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
  }

  deinit {
    work()
  }
}
