/// The values of a signal that have the same key.
public struct SignalGroup<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
  /// The key of the group's values.
  public let key: Key

  /// The values of the group, as a hot signal that begins with the group's first value.
  ///
  /// It ends with the grouped signal.
  public let signal: Signal<Value, Failure>
}

extension Signal {
  /// Sends a group for each new key, which sends the values with that key.
  ///
  /// To get all values of a group, subscribe it when it arrives. When this signal ends, the result
  /// ends first, and then the groups, in the order in which they began.
  ///
  /// ```text
  /// source:  a-d-b-e|
  /// result:  T-F----|
  /// source.groupBy { $0 < "c" }.map { $0.key ? "T" : "F" }
  /// ```
  ///
  /// - Parameter key: Returns the key of a value.
  /// - Returns: A signal of one group for each key; once it is disposed, its groups send nothing.
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
