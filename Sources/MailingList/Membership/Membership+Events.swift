extension Membership {
  /// Returns the event of a change to another membership; `nil` if neither the state nor the reason
  /// of a suppression changes.
  package func event(ofChangeTo after: Membership) -> ListEvent.Kind? {
    guard after.state != state || after.suppression != suppression else { return nil }
    switch after.state {
    case .subscribed: return .confirmed
    case .unsubscribed: return state == .suppressed ? .released : .unsubscribed
    case .suppressed: return .suppressed
    // No one becomes pending again, and a deletion has an event of its own.
    case .pending, nil: return nil
    }
  }
}
