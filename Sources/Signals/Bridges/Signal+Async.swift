extension Signal {
  /// Makes a cold signal of asynchronous work that gives one value.
  ///
  /// Each subscription starts a task; disposing it cancels the task. A closure of several
  /// statements that throws says what: `{ () async throws(LoginError) in … }`.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; that of the subscriber unless told otherwise.
  ///   - work: What is awaited.
  /// - Returns: Sends what the work returns and completes, or fails with what it throws.
  public static func task(
    priority: TaskPriority? = nil,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
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
  /// Each subscription iterates it in a task of its own, which is canceled by disposal. A sequence
  /// that can be iterated only once gives its elements to one subscriber.
  ///
  /// - Parameter sequence: What to send.
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
