import Dispatch
import Foundation

/// Runs work on a thread with a stack of 512 KiB, and returns when it is done: what grows the stack with
/// each round does not survive it.
func onSmallStack(_ work: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    work()
    isDone.signal()
  }
  thread.stackSize = 1 << 19
  thread.start()
  isDone.wait()
}

/// How often something is done that must not grow the stack: a million times, less often in a debug
/// build, where the stack would be full much sooner, too.
#if DEBUG
  let manyRounds = 30_000
#else
  let manyRounds = 1_000_000
#endif
