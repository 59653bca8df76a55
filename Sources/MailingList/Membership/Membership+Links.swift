extension Membership {
  /// Returns what a confirmation by a link that may have expired leads to.
  ///
  /// - Parameter expiresAt: From when on the link is not valid; `nil` if it always is.
  /// - Returns: The result; an expired link of a subscriber leads to ``Confirmation/already``.
  package func confirm(
    at time: Timestamp,
    linkMadeAt madeAt: Timestamp,
    expiresAt: Timestamp?
  ) -> Confirmation {
    if state != .subscribed, let expiresAt, expiresAt <= time { return .gone }
    return confirm(at: time, proofMadeAt: madeAt)
  }
}

extension LinkStatus {
  /// Determines what a link leads to.
  ///
  /// - Parameter expiresAt: From when on it is not valid; `nil` if it always is.
  package init(
    of purpose: LinkPurpose,
    madeAt: Timestamp,
    expiresAt: Timestamp?,
    membership: Membership,
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
