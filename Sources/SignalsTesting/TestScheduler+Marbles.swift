internal import Locks
public import Signals

extension TestScheduler {
  /// Makes a cold signal of a row of marbles.
  ///
  /// - Parameter row: What each subscription gets, in the notation of ``Marbles``; its first column
  ///   is the moment of subscribing, and is sent when the scheduler next advances. Stops the program
  ///   when it is no row of marbles.
  /// - Returns: The signal; it stays open when the row has no end.
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

  /// Draws what a signal sends, from now on.
  ///
  /// What happens within a second is drawn in its column; several events in parentheses.
  ///
  /// - Parameters:
  ///   - signal: Is subscribed at once, and disposed afterwards. Its values should print as one
  ///     character, or the columns do not mean seconds any more.
  ///   - duration: How long to watch; time passes by as much.
  /// - Returns: The drawing in the notation of ``Marbles``, without dashes at its end.
  public func diagram<Value, Failure>(
    of signal: Signal<Value, Failure>,
    for duration: Duration = .seconds(100)
  ) -> String {
    let start = now
    let events = Lock<[(second: Int, event: String)]>([])
    let note: @Sendable (String) -> Void = { event in
      let second = Int((self.now - start).components.seconds)
      events.withLock { $0.append((second, event)) }
    }
    let subscription = signal.subscribe(
      next: { note("\($0)") },
      failed: { _ in note("#") },
      completed: { note("|") }
    )
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
