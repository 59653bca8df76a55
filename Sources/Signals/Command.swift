/// Work that can be executed while it is enabled, by default one execution at a time.
///
/// A command is the model of a button. Its signals report whether it is enabled, whether it is
/// executing, the values of each execution, and the failures. The work of an execution is
/// subscribed exactly once, however many observers its result has.
///
/// ```swift
/// let subscribe = Command<String, Receipt, StoreError>(enabled: isValid) { address in
///   store.add(address)
/// }
/// subscribe.execute("ana@example.com").subscribe(completed: { print("Thanks") })
/// ```
///
/// In asynchronous code it is called like a function. A `do` that declares its error makes the
/// compiler check that the `switch` handles each:
///
/// ```swift
/// do throws(CommandError<StoreError>) {
///   try await subscribe("ana@example.com")
/// } catch {
///   switch error {
///   case .notEnabled(.disabled): print("not a valid address")
///   case .notEnabled(.executing): print("one moment, please")
///   case .failed(let error): print("could not be stored: \(error)")
///   }
/// }
/// ```
///
/// Any thread may execute a command; of many attempts at the same time exactly one starts. For one
/// execution observers see, in this order: `executing` true, `enabled` false, the execution signal
/// and `started`; then the work is subscribed; its values; `completed` or `failed`; its end on the
/// result and the execution signal; on failure `errors`; `executing` false, `enabled` true. The
/// command accepts the next execution before observers see the end of the previous one. With a
/// scheduler, the end of the result and of the execution signal is not scheduled.
///
/// Without a scheduler, `execute` and `start` return after the work was subscribed, on the thread
/// that executes. If another thread is notifying observers at that moment, they see the start
/// later, but before the values of the work. If a command is executed from within one of its own
/// notifications, such as the end of a result, the same thread subscribes the work after that
/// notification, so repeated execution does not grow the stack.
public final class Command<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let core: CommandCore<Input, Output, Failure>
  /// Makes a command whose work is a signal.
  ///
  /// - Parameters:
  ///   - enabled: Enables the command: its latest value says whether the command may execute.
  ///     Subscribed once, immediately; `true` until it sends a value. When it completes, its last
  ///     value stays.
  ///   - allowsConcurrentExecution: Whether it may execute while an execution is in flight.
  ///   - scheduler: The scheduler on which state changes are delivered and work is subscribed; with
  ///     `nil`, both happen synchronously, on the thread that causes them.
  ///   - work: Returns the work of one execution for its input. It runs on the thread that
  ///     executes, after the execution was accepted; an attempt to execute within it is rejected.
  @inlinable
  public init(
    enabled: Signal<Bool, Never>? = nil, allowsConcurrentExecution: Bool = false,
    scheduler: (any Scheduler)? = nil,
    _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
  ) {
    core = CommandCore(
      allowsConcurrentExecution: allowsConcurrentExecution, scheduler: scheduler,
      makeWork: { input, _ in work(input) })
    if let enabled { core.follow(enabled) }
  }

  /// Makes a command whose work is an asynchronous closure with one result.
  ///
  /// Write a closure of several statements that throws as `{ input async throws(E) in … }`;
  /// otherwise the compiler infers `any Error`.
  ///
  /// - Parameters:
  ///   - enabled: The same as for the other initializer.
  ///   - allowsConcurrentExecution: The same as for the other initializer.
  ///   - cancelsOnDispose: Whether disposing a subscription to the result of `execute` cancels the
  ///     task that runs the closure. The execution still lasts until the closure returns or throws.
  ///   - scheduler: The same as for the other initializer.
  ///   - work: The work, which runs in its own task.
  @inlinable
  public init(
    enabled: Signal<Bool, Never>? = nil, allowsConcurrentExecution: Bool = false,
    cancelsOnDispose: Bool = false, scheduler: (any Scheduler)? = nil,
    _ work: @escaping @Sendable (Input) async throws(Failure) -> Output
  ) {
    core = CommandCore(
      allowsConcurrentExecution: allowsConcurrentExecution,
      cancelsOnDispose: cancelsOnDispose,
      scheduler: scheduler,
      makeWork: { input, cancellation in
        Signal { observer in
          let task = Task {
            do throws(Failure) {
              observer.send(try await work(input))
              observer.complete()
            } catch {
              observer.fail(error)
            }
          }
          // Not returned as the disposable of the work: a canceled execution still waits for its
          // end.
          cancellation?.replace(with: AnyDisposable { task.cancel() })
          return nil
        }
      }
    )
    if let enabled { core.follow(enabled) }
  }

  /// Makes a command whose work is a signal, enabled by a property or a subject.
  ///
  /// - Parameters:
  ///   - enabled: Enables the command, such as a ``Property``.
  ///   - allowsConcurrentExecution: The same as for the other initializers.
  ///   - scheduler: The same as for the other initializers.
  ///   - work: Returns the work of one execution for its input.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    enabled: some SignalConvertible<Bool, Never>, allowsConcurrentExecution: Bool = false,
    scheduler: (any Scheduler)? = nil,
    _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
  ) {
    self.init(
      enabled: enabled.signal, allowsConcurrentExecution: allowsConcurrentExecution,
      scheduler: scheduler, work)
  }

  /// Makes a command whose work is an asynchronous closure, enabled by a property or a subject.
  ///
  /// - Parameters:
  ///   - enabled: Enables the command, such as a ``Property``.
  ///   - allowsConcurrentExecution: The same as for the other initializers.
  ///   - cancelsOnDispose: The same as for the other initializers.
  ///   - scheduler: The same as for the other initializers.
  ///   - work: The work, which runs in its own task.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    enabled: some SignalConvertible<Bool, Never>, allowsConcurrentExecution: Bool = false,
    cancelsOnDispose: Bool = false, scheduler: (any Scheduler)? = nil,
    _ work: @escaping @Sendable (Input) async throws(Failure) -> Output
  ) {
    self.init(
      enabled: enabled.signal, allowsConcurrentExecution: allowsConcurrentExecution,
      cancelsOnDispose: cancelsOnDispose, scheduler: scheduler, work)
  }

  deinit {
    core.close()
  }

  /// Executes with an input.
  ///
  /// - Parameter input: The input of the work.
  /// - Returns: The execution, which is already running: every observer gets all its values and its
  ///   end; subscribing does not run the work again, and disposing does not cancel it. If the
  ///   command is not enabled, a signal that fails with ``CommandError/notEnabled(_:)``; this
  ///   failure is not sent by ``errors``.
  @inlinable
  @discardableResult
  public func execute(_ input: Input) -> Signal<Output, CommandError<Failure>> {
    do throws(NotEnabledError) {
      return try core.execute(input).commandOutcome
    } catch {
      return Signal(attaching: { observer, _ in observer.fail(.notEnabled(error)) })
    }
  }

  /// Executes with an input, or throws the reason why not.
  ///
  /// For callers that need to know immediately whether the execution was rejected.
  ///
  /// - Parameter input: The input of the work.
  /// - Returns: The execution, as for ``execute(_:)``.
  /// - Throws: `NotEnabledError` if the command is not enabled.
  @inlinable
  @discardableResult
  public func start(_ input: Input) throws(NotEnabledError) -> Signal<Output, Failure> {
    try core.execute(input).outcome
  }

  /// Executes with an input and waits for the end.
  ///
  /// Canceling the waiting task neither cancels the work nor ends the wait.
  ///
  /// - Parameter input: The input of the work.
  /// - Returns: The last value of the work; `nil` if it sent none.
  /// - Throws: `CommandError` if the execution was rejected or the work failed.
  @discardableResult
  public func callAsFunction(_ input: Input) async throws(CommandError<Failure>) -> Output? {
    try await execute(input).last()
  }

  /// A signal for each execution, sent when it starts; it completes even if the work fails.
  ///
  /// Completes when the command is released.
  @inlinable public var executionSignals: Signal<Signal<Output, Never>, Never> {
    core.executions.signal
  }

  /// The events of all executions, in one order; failures are distinguished from completion.
  ///
  /// Completes when the command has been released and its last execution has ended.
  @inlinable public var executionEvents: Signal<ExecutionEvent<Input, Output, Failure>, Never> {
    core.events.signal
  }

  /// Whether an execution is in flight: the current state, then its changes.
  ///
  /// Completes when the command has been released and its last execution has ended.
  @inlinable public var executing: Signal<Bool, Never> { core.executing.signal }

  /// Whether an execution would be accepted: the current state, then its changes.
  ///
  /// Completes when the command is released.
  @inlinable public var enabled: Signal<Bool, Never> { core.enabled.signal }

  /// The failures of all executions, as values, without rejections.
  ///
  /// Completes when the command has been released and its last execution has ended.
  @inlinable public var errors: Signal<Failure, Never> { core.errors.signal }

  /// Whether the command may execute while an execution is in flight; may change at any time.
  @inlinable public var allowsConcurrentExecution: Bool {
    get { core.allowsConcurrentExecution }
    set { core.allowsConcurrentExecution = newValue }
  }
}
