/// The state of an address and the dates that decide what happens to it.
///
/// Its functions are pure: what follows depends on the state and the dates alone, never on the
/// request. A public sign-up never lowers a state.
package struct Membership: Hashable, Sendable {
  /// How long the form leaves a person in peace who replied *stop* to a mail they had not asked
  /// for, or whose mailbox does not exist.
  package static let peace: Duration = .seconds(30 * 86_400)

  /// The state; `nil` where the address is unknown.
  package private(set) var state: Subscriber.State?
  /// The reason of the state ``Subscriber/State/suppressed``; otherwise `nil`.
  package private(set) var suppression: Suppression?
  /// The last confirmation; with single opt-in, the sign-up.
  package private(set) var confirmedAt: Timestamp?
  /// When the person left the list; `nil` while they are on it.
  package private(set) var unsubscribedAt: Timestamp?
  /// When the suppression began; `nil` without one.
  package private(set) var suppressedAt: Timestamp?
  /// How many mails in a row the relay rejected for good, 0 or 1 unless suppressed.
  package private(set) var rejections: Int

  /// An address that is unknown.
  package static let none = Membership(state: nil)

  /// Creates a membership from stored values.
  ///
  /// - Parameters: - state: The state; `nil` where the address is unknown. - suppression: The
  ///   reason, if suppressed; without one, the suppression was set by hand, and is
  ///     the operator's.
  ///   - confirmedAt: The last confirmation, if any.
  ///   - unsubscribedAt: When the person left the list, if so.
  ///   - suppressedAt: When the suppression began, if any.
  package init(
    state: Subscriber.State?,
    suppression: Suppression? = nil,
    confirmedAt: Timestamp? = nil,
    unsubscribedAt: Timestamp? = nil,
    suppressedAt: Timestamp? = nil,
    rejections: Int = 0
  ) {
    self.state = state
    self.suppression = suppression ?? (state == .suppressed ? .operator : nil)
    self.confirmedAt = confirmedAt
    self.unsubscribedAt = unsubscribedAt
    self.suppressedAt = suppressedAt
    self.rejections = rejections
  }

  /// When the person last left the list or was last suppressed, if so.
  ///
  /// A link or a mail from before proves nothing, and is not wanted.
  package var endedAt: Timestamp? {
    [unsubscribedAt, suppressedAt].compactMap(\.self).max()
  }
}

// MARK: - What the person does

extension Membership {
  /// How often one link requests a new one; a request within this time stores nothing.
  package static let renewalPause: Duration = .seconds(600)

  /// Returns what a sign-up through the form leads to.
  ///
  /// - Returns: The membership afterwards, and the mail to send, which the budget may withhold.
  package func signUp(at time: Timestamp, optIn: OptIn) -> (after: Membership, mail: MailKind?) {
    switch optIn {
    case .single: (singleSignUp(at: time), nil)
    case .double: (state == nil ? Membership(state: .pending) : self, mail(forSignUpAt: time))
    }
  }

  /// The mail that the request of a new link causes, with double opt-in.
  ///
  /// It is not withheld in ``peace``, because the person has a mail at hand.
  package var renewal: MailKind? {
    switch state {
    case nil: nil
    case .pending, .unsubscribed: .confirm
    case .subscribed: .already
    case .suppressed: suppression?.endsWithConfirmation == true ? .confirm : nil
    }
  }

  /// The result of a confirmation.
  package enum Confirmation: Hashable, Sendable {
    /// The person is a subscriber from now on.
    case confirmed(Membership)
    /// The person was a subscriber already; nothing changes.
    case already
    /// The link or the code is older than leaving or a suppression; nothing changes.
    case gone
  }

  /// Returns what a confirmation by link or code leads to.
  ///
  /// - Returns: The result; a confirmation clears a suppression and rejections.
  package func confirm(at time: Timestamp, proofMadeAt: Timestamp) -> Confirmation {
    switch state {
    case nil:
      return .gone
    case .pending:
      return .confirmed(subscribed(at: time))
    case .subscribed:
      return .already
    case .unsubscribed, .suppressed:
      if state == .suppressed, suppression?.endsWithConfirmation != true { return .gone }
      if let endedAt, proofMadeAt <= endedAt { return .gone }
      return .confirmed(subscribed(at: time))
    }
  }

  /// Returns what leaving leads to.
  ///
  /// - Returns: The membership afterwards; `nil` if the person is not on the list already.
  package func leave(at time: Timestamp) -> Membership? {
    switch state {
    case nil, .unsubscribed, .suppressed:
      return nil
    case .pending, .subscribed:
      var after = self
      after.state = .unsubscribed
      after.unsubscribedAt = time
      return after
    }
  }

  private func singleSignUp(at time: Timestamp) -> Membership {
    switch state {
    case nil, .pending, .unsubscribed: subscribed(at: time)
    case .subscribed, .suppressed: self
    }
  }

  private func subscribed(at time: Timestamp) -> Membership {
    Membership(state: .subscribed, confirmedAt: time)
  }

  /// Returns the mail that a sign-up causes, with double opt-in.
  private func mail(forSignUpAt time: Timestamp) -> MailKind? {
    switch state {
    case nil, .pending:
      return .confirm
    case .subscribed:
      return .already
    case .unsubscribed:
      if confirmedAt != nil { return .confirm }
      return isInPeace(since: unsubscribedAt, at: time) ? nil : .confirm
    case .suppressed:
      guard let suppression, suppression.endsWithConfirmation else { return nil }
      return isInPeace(since: suppressedAt, at: time) ? nil : .confirm
    }
  }

  private func isInPeace(since start: Timestamp?, at time: Timestamp) -> Bool {
    guard let start else { return false }
    return time < start.adding(Self.peace)
  }
}

// MARK: - What a relay or the operator reports

extension Membership {
  /// Returns what a rejection of the mailbox leads to: the second in a row suppresses.
  ///
  /// - Returns: The membership afterwards; `nil` if nothing changes.
  package func rejected(at time: Timestamp) -> Membership? {
    switch state {
    case nil, .suppressed:
      return nil
    case .pending, .subscribed, .unsubscribed:
      var after = self
      after.rejections += 1
      guard after.rejections >= 2 else { return after }
      return after.suppress(.hardBounce, at: time)
    }
  }

  /// Returns what an accepted mail leads to: rejections before it no longer count.
  ///
  /// - Returns: The membership afterwards; `nil` if nothing changes.
  package func delivered() -> Membership? {
    guard rejections > 0, state != .suppressed else { return nil }
    var after = self
    after.rejections = 0
    return after
  }

  /// Returns what a suppression leads to; a weaker reason does not replace a stronger one.
  ///
  /// - Returns: The membership afterwards; `nil` if nothing changes.
  package func suppress(_ reason: Suppression, at time: Timestamp) -> Membership? {
    guard state != nil else { return nil }
    if let suppression, suppression.rawValue >= reason.rawValue { return nil }
    var after = self
    after.state = .suppressed
    after.suppression = reason
    after.suppressedAt = time
    return after
  }
}
