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
  private struct Frame {
    let command: UInt
    /// Whether somebody is told something, and not a step is made.
    var isNotifying: Bool
    /// `nil` until there is one, which saves an empty queue its references.
    var steps: FIFOQueue<Step>?
    /// The one around this one, of another command.
    let outer: UnsafeMutablePointer<Frame>?

    mutating func append(_ step: @escaping Step) {
      steps = steps ?? FIFOQueue()
      steps?.append(step)
    }
  }

  /// The innermost one of the calling thread.
  private static let innermost = ThreadPointer<Frame>()

  /// Tells somebody something; steps that are asked for meanwhile are made afterwards.
  @usableFromInline
  static func notify(of command: UInt, _ body: () -> Void) {
    let innermost = innermost
    let outer = innermost.value
    if let frame = find(command, from: outer) {
      let wasNotifying = frame.pointee.isNotifying
      frame.pointee.isNotifying = true
      body()
      frame.pointee.isNotifying = wasNotifying
      return
    }
    var frame = Frame(command: command, isNotifying: true, outer: outer)
    withUnsafeMutablePointer(to: &frame) { frame in
      innermost.value = frame
      body()
      makeSteps(of: frame)
      innermost.value = outer
    }
  }

  /// Returns whether the caller is called from a notification of the command, on this thread.
  @usableFromInline
  static func isNotifying(of command: UInt) -> Bool {
    find(command, from: innermost.value)?.pointee.isNotifying ?? false
  }

  /// Leaves a step for the end of the notification that the caller is called from.
  @usableFromInline
  static func deferStep(of command: UInt, _ step: @escaping Step) {
    find(command, from: innermost.value)?.pointee.append(step)
  }

  /// Makes a step now, or after the one that the caller is called from.
  @usableFromInline
  static func make(of command: UInt, _ step: @escaping Step) {
    let innermost = innermost
    let outer = innermost.value
    if let frame = find(command, from: outer) { return frame.pointee.append(step) }
    var frame = Frame(command: command, isNotifying: false, outer: outer)
    withUnsafeMutablePointer(to: &frame) { frame in
      innermost.value = frame
      step()
      makeSteps(of: frame)
      innermost.value = outer
    }
  }

  private static func find(
    _ command: UInt,
    from innermost: UnsafeMutablePointer<Frame>?
  ) -> UnsafeMutablePointer<Frame>? {
    var next = innermost
    while let frame = next {
      if frame.pointee.command == command { return frame }
      next = frame.pointee.outer
    }
    return nil
  }

  /// Makes the steps that wait, and what they ask for.
  private static func makeSteps(of frame: UnsafeMutablePointer<Frame>) {
    frame.pointee.isNotifying = false
    while let step = frame.pointee.steps?.popFirst() { step() }
  }
}
