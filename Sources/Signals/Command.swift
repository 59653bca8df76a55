/// Work that can be executed while it is enabled, by default once at a time.
///
/// What a button is bound to: the command says whether it is enabled, whether it is executing, what
/// each execution sends, and what went wrong, each as a signal. An execution is subscribed exactly
/// once, whoever looks at its result.
///
/// ```swift
/// let subscribe = Command<String, Receipt, StoreError>(enabled: isValid) { address in
///   store.enroll(address)
/// }
/// subscribe.execute("ana@example.com").subscribe(completed: { print("Thanks") })
/// ```
///
/// It may be executed from any thread; of many that try at once exactly one starts. For one
/// execution observers see, in this order: `executing` true, `enabled` false, the execution signal
/// and `started`; then the work is subscribed; its values; `completed` or `failed`; its end on the
/// result and the execution signal; on failure `errors`; `executing` false, `enabled` true. The
/// command accepts the next execution before the first of these tells of the end. With a scheduler
/// the result and the execution signal do not wait for it.
///
/// Without a scheduler `execute` and `start` return after the work was subscribed, on the thread that
/// executes; when another thread is telling observers something at that moment, they are told of the
/// start later, and still before what the work sends. From within one of the command's own
/// notifications, the end of a result among them, the work is subscribed after that notification, by
/// the same thread: executing again and again does not grow the stack.
public final class Command<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let core: CommandCore<Input, Output, Failure>
  /// Makes a command whose work is a signal.
  ///
  /// - Parameters:
  ///   - enabled: Says whether it may execute. Subscribed once, now; true until it sends. When it
  ///     completes its last value stays.
  ///   - allowsConcurrentExecution: Whether it may execute while an execution is in flight.
  ///   - scheduler: Where state changes are delivered and work is subscribed; `nil` does both
  ///     synchronously, on the thread that causes them.
  ///   - work: Makes the work of one execution from its input. It runs on the thread that executes,
  ///     after the execution was accepted; executing again within it is refused.
  @inlinable
  public init(
    enabled: Signal<Bool, Never>? = nil,
    allowsConcurrentExecution: Bool = false,
    scheduler: (any Scheduler)? = nil,
    _ work: @escaping @Sendable (Input) -> Signal<Output, Failure>
  ) {
    core = CommandCore(
      allowsConcurrentExecution: allowsConcurrentExecution,
      scheduler: scheduler,
      makeWork: { input, _ in work(input) }
    )
    if let enabled { core.follow(enabled) }
  }

  /// Makes a command whose work is an asynchronous closure with one result.
  ///
  /// A closure of several statements that throws is written `{ input async throws(E) in … }`; the
  /// compiler infers `any Error` otherwise.
  ///
  /// - Parameters:
  ///   - enabled: As in the other initializer.
  ///   - allowsConcurrentExecution: As in the other initializer.
  ///   - cancelsOnDispose: Whether disposing a subscription to the result of `execute` cancels the
  ///     task that runs the closure. The execution still lasts until the closure returns or throws.
  ///   - scheduler: As in the other initializer.
  ///   - work: Runs in a task of its own.
  @inlinable
  public init(
    enabled: Signal<Bool, Never>? = nil,
    allowsConcurrentExecution: Bool = false,
    cancelsOnDispose: Bool = false,
    scheduler: (any Scheduler)? = nil,
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
          // Not what stops the work's subscription: a canceled execution still waits for its end.
          cancellation?.replace(with: AnyDisposable { task.cancel() })
          return nil
        }
      }
    )
    if let enabled { core.follow(enabled) }
  }

  deinit {
    core.close()
  }

  /// Executes with an input.
  ///
  /// - Parameter input: What the work is made from.
  /// - Returns: The execution, running already: every subscriber gets all its values and its end;
  ///   subscribing does not run the work again, disposing does not cancel it. When the command is
  ///   not enabled a signal that fails with ``CommandError/notEnabled(_:)``, which is observed
  ///   nowhere else.
  @inlinable
  @discardableResult
  public func execute(_ input: Input) -> Signal<Output, CommandError<Failure>> {
    do throws(NotEnabledError) {
      return try core.execute(input).commandOutcome
    } catch {
      return Signal(attaching: { observer, _ in observer.fail(.notEnabled(error)) })
    }
  }

  /// Executes with an input, or says at once why not.
  ///
  /// For those who have to know whether they were refused before anything else happens.
  ///
  /// - Parameter input: What the work is made from.
  /// - Returns: The execution, as ``execute(_:)`` returns it.
  /// - Throws: `NotEnabledError`, when the command is not enabled.
  @inlinable
  @discardableResult
  public func start(_ input: Input) throws(NotEnabledError) -> Signal<Output, Failure> {
    try core.execute(input).outcome
  }

  /// Executes with an input and waits for the end.
  ///
  /// Canceling the task that waits neither cancels the work nor ends the wait.
  ///
  /// - Parameter input: What the work is made from.
  /// - Returns: The last value of the work; `nil` when it sent none.
  /// - Throws: `CommandError`, when it was refused or the work failed.
  public func callAsFunction(_ input: Input) async throws(CommandError<Failure>) -> Output? {
    try await execute(input).last()
  }

  /// One signal for each execution, sent when it starts; it completes also when the work fails.
  ///
  /// Completes when the command goes.
  @inlinable public var executionSignals: Signal<Signal<Output, Never>, Never> {
    core.executions.signal
  }

  /// What happens to all executions, in one order, failures told apart.
  ///
  /// Completes when the command has gone and its last execution has ended.
  @inlinable public var executionEvents: Signal<ExecutionEvent<Input, Output, Failure>, Never> {
    core.events.signal
  }

  /// Whether an execution is in flight: the current state, then its changes.
  ///
  /// Completes when the command has gone and its last execution has ended.
  @inlinable public var executing: Signal<Bool, Never> { core.executing.signal }

  /// Whether `execute` would be accepted: the current state, then its changes.
  ///
  /// Completes when the command goes.
  @inlinable public var enabled: Signal<Bool, Never> { core.enabled.signal }

  /// The failures of all executions, as values; a rejection is none.
  ///
  /// Completes when the command has gone and its last execution has ended.
  @inlinable public var errors: Signal<Failure, Never> { core.errors.signal }

  /// Whether it may execute while an execution is in flight; may be changed at any time.
  @inlinable public var allowsConcurrentExecution: Bool {
    get { core.allowsConcurrentExecution }
    set { core.allowsConcurrentExecution = newValue }
  }
}
