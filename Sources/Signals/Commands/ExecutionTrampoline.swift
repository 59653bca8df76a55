/// Begins executions of a command one after the other, also those that are asked for from within a
/// notification, without growing the stack.
///
/// With synchronous work an execution is over before `begin` returns, and whoever is told of that may
/// execute again. Such an execution begins once the notification, and the beginning before it, are
/// done: by the same thread. So each thread has a list of its own, which needs no lock.
@usableFromInline
enum ExecutionTrampoline {
  /// A step that waits, of one command.
  @usableFromInline typealias Step = @Sendable () -> Void

  /// What the calling thread is within: a notification of a command, or a step of one.
  ///
  /// On the stack of that thread, which links it into its list for as long.
  private struct Run {
    let command: UInt
    /// Whether somebody is told something, and not a step is made.
    var isNotifying: Bool
    /// `nil` until there is one, which saves an empty queue its references.
    var steps: FirstInFirstOut<Step>?
    /// The one around this one, of another command.
    let outer: UnsafeMutablePointer<Run>?

    mutating func append(_ step: @escaping Step) {
      steps = steps ?? FirstInFirstOut()
      steps?.append(step)
    }
  }

  /// The innermost one of the calling thread.
  private static let innermost = ThreadPointer<Run>()

  /// Tells somebody something; steps that are asked for meanwhile are made afterwards.
  @usableFromInline
  static func notify(of command: UInt, _ body: () -> Void) {
    let innermost = innermost
    let outer = innermost.value
    if let run = find(command, from: outer) {
      let wasNotifying = run.pointee.isNotifying
      run.pointee.isNotifying = true
      body()
      run.pointee.isNotifying = wasNotifying
      return
    }
    var run = Run(command: command, isNotifying: true, outer: outer)
    withUnsafeMutablePointer(to: &run) { run in
      innermost.value = run
      body()
      makeSteps(of: run)
      innermost.value = outer
    }
  }

  /// Leaves a step for the end of the notification that the caller is called from.
  ///
  /// - Returns: Whether there is one.
  @usableFromInline
  static func deferStep(of command: UInt, _ step: @escaping Step) -> Bool {
    guard let run = find(command, from: innermost.value), run.pointee.isNotifying else {
      return false
    }
    run.pointee.append(step)
    return true
  }

  /// Makes a step now, or after the one that the caller is called from.
  @usableFromInline
  static func make(of command: UInt, _ step: @escaping Step) {
    let innermost = innermost
    let outer = innermost.value
    if let run = find(command, from: outer) { return run.pointee.append(step) }
    var run = Run(command: command, isNotifying: false, outer: outer)
    withUnsafeMutablePointer(to: &run) { run in
      innermost.value = run
      step()
      makeSteps(of: run)
      innermost.value = outer
    }
  }

  private static func find(
    _ command: UInt,
    from innermost: UnsafeMutablePointer<Run>?
  ) -> UnsafeMutablePointer<Run>? {
    var next = innermost
    while let run = next {
      if run.pointee.command == command { return run }
      next = run.pointee.outer
    }
    return nil
  }

  /// Makes the steps that wait, and what they ask for.
  private static func makeSteps(of run: UnsafeMutablePointer<Run>) {
    run.pointee.isNotifying = false
    while let step = run.pointee.steps?.popFirst() { step() }
  }
}
