public import Signals

extension TestScheduler {
  /// Makes a cold signal of a row of a marble diagram.
  ///
  /// - Parameter row: The events of each subscription, in the notation of ``Marbles``. Its first
  ///   column is the moment of subscribing, and is sent when the scheduler next advances. Stops the
  ///   program if the row is invalid.
  /// - Returns: The signal; it does not end if the row has no end.
  public func signal(_ row: String) -> Signal<String, MarbleError> {
    let columns = Marbles.columns(of: row)
    return Signal { observer in
      let works = CompositeDisposable()
      for (second, events) in columns.enumerated() where !events.isEmpty {
        works.add(
          self.schedule(after: .seconds(second)) {
            for event in events where !works.isDisposed {
              switch event {
              case "|": observer.complete()
              case "#": observer.fail(MarbleError())
              default: observer.send(String(event))
              }
            }
          }
        )
      }
      return works
    }
  }

  /// Returns a diagram of the events that a signal sends from now on.
  ///
  /// Events within one second share its column, in parentheses.
  ///
  /// - Parameters:
  ///   - signal: The signal, which is subscribed immediately and disposed afterwards. Its values
  ///     should print as one character, or the columns no longer represent seconds.
  ///   - duration: The time to observe; the scheduler advances by it.
  /// - Returns: The diagram in the notation of ``Marbles``, without trailing dashes.
  public func diagram<Value, Failure>(
    of signal: Signal<Value, Failure>, for duration: Duration = .seconds(100)
  ) -> String {
    let start = now
    let events = Lock<[(second: Int, event: String)]>([])
    let note: @Sendable (String) -> Void = { event in
      let second = Int((self.now - start).components.seconds)
      events.withLock { $0.append((second, event)) }
    }
    let subscription = signal.subscribe(
      next: { note("\($0)") }, failed: { _ in note("#") }, completed: { note("|") })
    advance(by: duration)
    subscription.dispose()
    return Self.drawing(of: events.withLock { $0 })
  }

  private static func drawing(of events: [(second: Int, event: String)]) -> String {
    guard let last = events.last?.second else { return "" }
    var columns = [[String]](repeating: [], count: last + 1)
    for (second, event) in events { columns[second].append(event) }
    return
      columns.map { column in
        switch column.count {
        case 0: "-"
        case 1: column[0]
        default: "(" + column.joined() + ")"
        }
      }
      .joined()
  }
}
