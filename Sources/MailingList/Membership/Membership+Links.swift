extension Membership {
  /// Returns the result of a confirmation by a link; an expired link of a subscriber leads to
  /// ``Confirmation/already``.
  ///
  /// - Parameter expiresAt: The time from which the link is invalid; `nil` if it never expires.
  package func confirm(
    at time: Timestamp, linkMadeAt madeAt: Timestamp, expiresAt: Timestamp?
  ) -> Confirmation {
    if state != .subscribed, let expiresAt, expiresAt <= time { return .gone }
    return confirm(at: time, proofMadeAt: madeAt)
  }
}

extension LinkStatus {
  /// Determines the effect of a link.
  ///
  /// - Parameter expiresAt: The time from which the link is invalid; `nil` if it never expires.
  package init(
    of purpose: LinkPurpose, madeAt: Timestamp, expiresAt: Timestamp?, membership: Membership,
    at now: Timestamp
  ) {
    switch purpose {
    case .confirm:
      switch membership.confirm(at: now, linkMadeAt: madeAt, expiresAt: expiresAt) {
      case .confirmed: self = .usable
      case .already: self = .done
      case .gone: self = .gone
      }
    case .unsubscribe:
      self = membership.leave(at: now) == nil ? .done : .usable
    }
  }
}
