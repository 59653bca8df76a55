extension Signal {
  /// Makes a cold signal of asynchronous work with one result.
  ///
  /// Each subscription starts a task; disposing it cancels the task. A closure of several
  /// statements that throws declares its error: `{ () async throws(LoginError) in … }`.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; by default that of the subscribing task.
  ///   - work: The work, which runs once for each subscription.
  /// - Returns: A signal that sends the result and completes, or fails with the error.
  public static func task(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) -> Signal {
    Signal { observer in
      let task = Task(priority: priority) {
        do throws(Failure) {
          observer.send(try await work())
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return AnyDisposable { task.cancel() }
    }
  }

  /// Makes a cold signal of an asynchronous sequence.
  ///
  /// Each subscription iterates it in its own task, which disposal cancels. A single-pass sequence
  /// gives its elements to one subscription.
  ///
  /// - Parameter sequence: The values to send.
  public init<Elements: AsyncSequence & Sendable>(_ sequence: Elements)
  where Elements.Element == Value, Elements.Failure == Failure {
    self.init { observer in
      let task = Task {
        do throws(Failure) {
          for try await value in sequence { observer.send(value) }
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return AnyDisposable { task.cancel() }
    }
  }
}
