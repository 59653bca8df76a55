/// A driver of sockets: an event loop gives it one turn after another, on the loop's thread.
///
/// A turn waits for readiness, runs the scheduled work and the timers that are due, and then serves
/// the sockets. A loop runs one driver, whose type is known when the loop is compiled, so a turn
/// has no indirect call.
protocol LoopDriver: AnyObject {
  /// Makes each write to an eventfd end ``wait(atMost:)``; called once, before all other functions.
  ///
  /// The eventfd is registered edge-triggered: each write wakes the loop once, so the loop never
  /// has to read it, and cannot miss a write by reading too early.
  ///
  /// - Throws: `DaemonError` if a system call fails.
  func watch(_ wakeUp: Int32) throws(DaemonError)

  /// Prepares the thread of the loop; called once on it, before the first turn.
  func prepareThread()

  /// Waits for a ready socket or for the eventfd.
  ///
  /// A library that waits and serves in one call also serves the sockets here.
  ///
  /// - Parameter milliseconds: The maximum wait in milliseconds; -1 for no maximum.
  func wait(atMost milliseconds: Int32)

  /// Serves the sockets that are ready and does a small part of any other work, after scheduled
  /// work and timers have run.
  func serve()
}
