/// The input of a join of two signals.
@usableFromInline
enum PairInput<First: Sendable, Second: Sendable, Failure: Error>: Sendable {
  case first(First)
  case second(Second)
  case end(End<Failure>, isFirst: Bool)
}

/// The input of a join of signals of one type.
@usableFromInline
enum ArrayInput<Value: Sendable, Failure: Error>: Sendable {
  case value(Value, at: Int)
  case end(End<Failure>, at: Int)
}

/// Joins two signals.
///
/// - Parameters:
///   - first: Subscribed first.
///   - second: Subscribed second.
///   - makeLogic: Makes the logic of one subscription.
/// - Returns: A signal of what the logic sends.
@inlinable
func joined<First: Sendable, Second: Sendable, Failure: Error, Logic: JoinLogic>(
  _ first: Signal<First, Failure>, _ second: Signal<Second, Failure>,
  _ makeLogic: @escaping @Sendable () -> sending Logic
) -> Signal<Logic.Value, Failure>
where Logic.Input == PairInput<First, Second, Failure>, Logic.Failure == Failure {
  Signal(attaching: { observer, subscription in
    let join = SerialJoin(makeLogic(), to: observer, subscription)
    first.attach(
      Observer(next: { join.submit(.first($0)) }, end: { join.submit(.end($0, isFirst: true)) }),
      into: join)
    second.attach(
      Observer(next: { join.submit(.second($0)) }, end: { join.submit(.end($0, isFirst: false)) }),
      into: join)
  })
}

/// Joins signals of one type.
///
/// - Parameters:
///   - signals: The signals, subscribed in their order; without one, the result completes at once.
///   - makeLogic: Makes the logic of one subscription of as many signals.
/// - Returns: A signal of what the logic sends.
@inlinable
func joined<Value: Sendable, Failure: Error, Logic: JoinLogic>(
  _ signals: [Signal<Value, Failure>],
  _ makeLogic: @escaping @Sendable (_ count: Int) -> sending Logic
) -> Signal<Logic.Value, Failure>
where Logic.Input == ArrayInput<Value, Failure>, Logic.Failure == Failure {
  if signals.isEmpty { return .empty }
  return Signal(attaching: { observer, subscription in
    let join = SerialJoin(makeLogic(signals.count), to: observer, subscription)
    for (index, signal) in signals.enumerated() {
      signal.attach(
        Observer(
          next: { join.submit(.value($0, at: index)) }, end: { join.submit(.end($0, at: index)) }),
        into: join)
    }
  })
}
