/// The depth to which each thread subscribes signals within each other, for one sink.
@usableFromInline
struct Nesting: Sendable {
  private static let limit = 32

  private struct Level: Sendable {
    let thread: UInt
    var depth = 1
    var waiting = FIFOQueue<@Sendable () -> Void>()
  }

  @usableFromInline
  enum Turn: Sendable {
    case outermost, inner, later
  }

  /// A level for each thread that is subscribing at this moment.
  private var levels: [Level] = []

  @usableFromInline
  init() {}

  /// Enters a level, or lets a signal wait.
  mutating func enter(_ thread: UInt, _ subscribe: @escaping @Sendable () -> Void) -> Turn {
    guard let index = levels.firstIndex(where: { $0.thread == thread }) else {
      levels.append(Level(thread: thread))
      return .outermost
    }
    if levels[index].depth < Self.limit {
      levels[index].depth += 1
      return .inner
    }
    levels[index].waiting.append(subscribe)
    return .later
  }

  /// Leaves an inner level.
  mutating func leave(_ thread: UInt) {
    if let index = levels.firstIndex(where: { $0.thread == thread }) { levels[index].depth -= 1 }
  }

  /// Returns the next waiting signal on the outermost level, or leaves that level.
  mutating func takeNext(_ thread: UInt) -> (@Sendable () -> Void)? {
    guard let index = levels.firstIndex(where: { $0.thread == thread }) else { return nil }
    if let next = levels[index].waiting.popFirst() { return next }
    levels.remove(at: index)
    return nil
  }
}

extension MergeSink {
  /// Subscribes a signal within another one, to a limited depth.
  ///
  /// Usually it is subscribed immediately. Beyond 32 levels it waits until the outermost has been
  /// subscribed; otherwise a signal that continues itself endlessly would overflow the stack.
  @usableFromInline
  func nest(_ subscribe: @escaping @Sendable () -> Void) {
    let thread = CurrentThread.id
    let turn = nesting.withLock { $0.enter(thread, subscribe) }
    switch turn {
    case .later:
      break
    case .inner:
      subscribe()
      nesting.withLock { $0.leave(thread) }
    case .outermost:
      subscribe()
      while let next = nesting.withLock({ $0.takeNext(thread) }) { next() }
    }
  }
}
