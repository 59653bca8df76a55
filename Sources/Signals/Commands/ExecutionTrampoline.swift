/// A trampoline that begins the executions of a command one after the other without growing the
/// stack, including executions that are requested from within a notification.
///
/// With synchronous work an execution has ended before `begin` returns, and an observer of the end
/// may execute again. The same thread begins such an execution after the notification and the
/// current beginning. So each thread has its own list, which needs no lock.
@usableFromInline
enum ExecutionTrampoline {
  /// A waiting step of one command.
  @usableFromInline typealias Step = @Sendable () -> Void

  /// A notification or a step of a command that the calling thread is within.
  ///
  /// It lies on the stack of that thread, which links it into its list meanwhile.
  private struct Frame {
    let command: UInt
    /// Whether it is a notification instead of a step.
    var isNotifying: Bool
    /// `nil` until a step is waiting, which avoids the references of an empty queue.
    var steps: FIFOQueue<Step>?
    /// The enclosing frame, of another command.
    let outer: UnsafeMutablePointer<Frame>?

    mutating func append(_ step: @escaping Step) {
      steps = steps ?? FIFOQueue()
      steps?.append(step)
    }
  }

  /// The innermost frame of the calling thread.
  private static let innermost = ThreadPointer<Frame>()

  /// Runs a notification; steps that are requested meanwhile run afterwards.
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

  /// Defers a step to the end of the notification that the caller is called from.
  @usableFromInline
  static func deferStep(of command: UInt, _ step: @escaping Step) {
    find(command, from: innermost.value)?.pointee.append(step)
  }

  /// Runs a step now, or after the step that the caller is called from.
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
    _ command: UInt, from innermost: UnsafeMutablePointer<Frame>?
  ) -> UnsafeMutablePointer<Frame>? {
    var next = innermost
    while let frame = next {
      if frame.pointee.command == command { return frame }
      next = frame.pointee.outer
    }
    return nil
  }

  /// Runs the waiting steps, and the steps that they request.
  private static func makeSteps(of frame: UnsafeMutablePointer<Frame>) {
    frame.pointee.isNotifying = false
    while let step = frame.pointee.steps?.popFirst() { step() }
  }
}
