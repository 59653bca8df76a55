internal import Foundation

/// A task executor that runs each job on its own thread, so that the job may block.
///
/// Swift's global executor has one thread per core; a test that blocks on a socket would occupy a
/// thread that the code under test needs.
package final class ThreadPerJob: TaskExecutor {
  /// Makes the executor.
  package init() {}

  /// Runs a job.
  ///
  /// - Parameter job: The part of a task up to its next suspension.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
