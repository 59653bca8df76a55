public import Locks
public import Synchronization

/// Begins executions of a command one after the other, also those that are asked for from within a
/// notification, without growing the stack.
///
/// With synchronous work an execution is over before `begin` returns, and whoever is told of that may
/// execute again. Such an execution begins once the notification, and the beginning before it, are
/// done: by the same thread, which is why threads are told apart. All commands share one list, which
/// is empty but while a thread is within one of these.
@usableFromInline
enum ExecutionTrampoline {
  /// A step that waits, of one thread and one command.
  @usableFromInline typealias Step = @Sendable () -> Void

  @usableFromInline
  struct Run {
    @usableFromInline let thread: UInt
    @usableFromInline let command: UInt
    /// Whether somebody is told something, and not a step is made.
    @usableFromInline var isNotifying: Bool
    @usableFromInline var steps = FirstInFirstOut<Step>()

    @inlinable
    init(_ thread: UInt, _ command: UInt, isNotifying: Bool) {
      self.thread = thread
      self.command = command
      self.isNotifying = isNotifying
    }
  }

  @usableFromInline static let runs = Lock<[Run]>([])
  /// How many there are, for those who would look in vain.
  @usableFromInline static let count = Atomic(0)

  /// Whether a thread is within one; if it is the calling thread, for certain.
  @inlinable static var isInUse: Bool { count.load(ordering: .relaxed) > 0 }

  /// Tells somebody something; steps that are asked for meanwhile are made afterwards.
  @inlinable
  static func notify(of command: UInt, _ body: () -> Void) {
    let thread = CurrentThread.id
    let before: Bool? = runs.withLock { runs in
      if let index = index(of: command, thread, in: runs) {
        defer { runs[index].isNotifying = true }
        return runs[index].isNotifying
      }
      runs.append(Run(thread, command, isNotifying: true))
      return nil
    }
    if before == nil { count.wrappingAdd(1, ordering: .relaxed) }
    body()
    if let before { setNotifying(before, command, thread) } else { makeSteps(command, thread) }
  }

  /// Leaves a step for the end of the notification that the caller is called from.
  ///
  /// - Returns: Whether there is one.
  @inlinable
  static func deferStep(of command: UInt, _ step: @escaping Step) -> Bool {
    let thread = CurrentThread.id
    return runs.withLock { runs in
      guard let index = index(of: command, thread, in: runs), runs[index].isNotifying else {
        return false
      }
      runs[index].steps.append(step)
      return true
    }
  }

  /// Makes a step now, or after the one that the caller is called from.
  @inlinable
  static func make(of command: UInt, _ step: @escaping Step) {
    let thread = CurrentThread.id
    let isFirst = runs.withLock { runs in
      if let index = index(of: command, thread, in: runs) {
        runs[index].steps.append(step)
        return false
      }
      var run = Run(thread, command, isNotifying: false)
      run.steps.append(step)
      runs.append(run)
      return true
    }
    guard isFirst else { return }
    count.wrappingAdd(1, ordering: .relaxed)
    makeSteps(command, thread)
  }

  @usableFromInline
  static func makeSteps(_ command: UInt, _ thread: UInt) {
    while true {
      let step: Step? = runs.withLock { runs in
        guard let index = index(of: command, thread, in: runs) else { return nil }
        runs[index].isNotifying = false
        if let step = runs[index].steps.popFirst() { return step }
        runs.remove(at: index)
        return nil
      }
      guard let step else { break }
      step()
    }
    count.wrappingSubtract(1, ordering: .relaxed)
  }

  @usableFromInline
  static func setNotifying(_ isNotifying: Bool, _ command: UInt, _ thread: UInt) {
    runs.withLock { runs in
      if let index = index(of: command, thread, in: runs) {
        runs[index].isNotifying = isNotifying
      }
    }
  }

  @inlinable
  static func index(of command: UInt, _ thread: UInt, in runs: [Run]) -> Int? {
    runs.firstIndex { $0.thread == thread && $0.command == command }
  }
}
