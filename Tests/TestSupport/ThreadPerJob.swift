internal import Foundation

/// Runs tasks on threads of their own, so that they may block.
///
/// Swift runs tasks on as many threads as there are cores; a test that blocks on a socket would keep
/// one from what it waits for.
package final class ThreadPerJob: TaskExecutor {
  /// Makes the executor.
  package init() {}

  /// Runs a part of a task.
  ///
  /// - Parameter job: The part, up to where it awaits.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
