// MARK: - Imports of other lists

extension Membership {
  /// Returns the membership after an import of what another list has; `nil` if nothing changes.
  ///
  /// An import never gives back what a person took away: only a pending subscriber becomes a
  /// subscriber by it, and nobody who has left or is suppressed does.
  ///
  /// - Parameter leftAt: The time at which the person left the other list, if it is known.
  package func importing(_ other: Membership, leftAt: Timestamp?, at time: Timestamp) -> Membership?
  {
    switch (state, other.state) {
    case (_, nil), (.pending, .pending), (.suppressed, _): nil
    case (nil, _), (.pending, .subscribed): other
    case (.pending, .unsubscribed): leave(at: leftAt ?? time)
    case (.subscribed, .unsubscribed):
      if let leftAt, leftAt > confirmedAt ?? .distantPast { leave(at: leftAt) } else { nil }
    case (.pending, .suppressed), (.subscribed, .suppressed), (.unsubscribed, .suppressed):
      suppress(other.suppression ?? .operator, at: time)
    case (.subscribed, .pending), (.subscribed, .subscribed), (.unsubscribed, .pending),
      (.unsubscribed, .subscribed), (.unsubscribed, .unsubscribed):
      nil
    }
  }
}
