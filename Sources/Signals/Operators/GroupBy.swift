/// The values of a signal that have the same key.
public struct SignalGroup<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
  /// What the values have in common.
  public let key: Key

  /// Sends the values from the one on with which the group began; hot.
  ///
  /// It ends with the signal that was grouped.
  public let signal: Signal<Value, Failure>
}

extension Signal {
  /// Sends a group for each new key, which then sends the values of that key.
  ///
  /// Whoever wants all values of a group subscribes it when it arrives. When this signal ends, the
  /// result ends first, then the groups, in the order in which they began.
  ///
  /// ```text
  /// source:  a-d-b-e|
  /// result:  T-F----|
  /// source.groupBy { $0 < "c" }.map { $0.key ? "T" : "F" }
  /// ```
  ///
  /// - Parameter key: What the values of a group have in common.
  /// - Returns: A signal of as many groups as there are keys; when it is disposed, its groups send
  ///   no more.
  public func groupBy<Key: Hashable & Sendable>(
    _ key: @escaping @Sendable (Value) -> Key
  ) -> Signal<SignalGroup<Key, Value, Failure>, Failure> {
    Signal<SignalGroup<Key, Value, Failure>, Failure>(attaching: { observer, subscription in
      let groups = Box<Groups<Key, Value, Failure>>(Groups())
      self.attach(
        Observer(
          next: { value in
            let key = key(value)
            if let subject = groups.value.subjects[key] { return subject.send(value) }
            let subject = Subject<Value, Failure>()
            groups.value.subjects[key] = subject
            groups.value.order.append(subject)
            observer.onNext(SignalGroup(key: key, signal: subject.signal))
            if !subscription.isDisposed { subject.send(value) }
          },
          end: { end in
            observer.onEnd(end)
            for subject in groups.value.order {
              switch end {
              case .completed: subject.complete()
              case .failed(let error): subject.fail(error)
              }
            }
          }
        ),
        subscription
      )
    })
  }
}

/// The groups of one subscription.
private struct Groups<Key: Hashable & Sendable, Value: Sendable, Failure: Error> {
  var subjects: [Key: Subject<Value, Failure>] = [:]
  var order: [Subject<Value, Failure>] = []
}
