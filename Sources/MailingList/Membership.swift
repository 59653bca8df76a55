/// The state of an address and the dates that determine its transitions.
///
/// The functions are pure: each result depends only on the state and the dates, never on the
/// request. A public sign-up never lowers a state.
package struct Membership: Hashable, Sendable {
  /// The time in which the form sends no mail to a person who replied *stop* to an unrequested
  /// mail, or whose mailbox does not exist.
  package static let peace: Duration = .seconds(30 * 86_400)

  /// The state; `nil` for an unknown address.
  package private(set) var state: Subscriber.State?
  /// The reason for the state ``Subscriber/State/suppressed``; `nil` in any other state.
  package private(set) var suppression: Suppression?
  /// The last confirmation; with single opt-in, the sign-up.
  package private(set) var confirmedAt: Timestamp?
  /// The time at which the person left the list; `nil` while they are on it.
  package private(set) var unsubscribedAt: Timestamp?
  /// The start of the suppression; `nil` without one.
  package private(set) var suppressedAt: Timestamp?
  /// The number of consecutive mails that the relay rejected permanently; 0 or 1 unless suppressed.
  package private(set) var rejections: Int

  /// The membership of an unknown address.
  package static let none = Membership(state: nil)

  /// Creates a membership from stored values.
  ///
  /// A suppression without a reason was set manually, and counts as the operator's.
  package init(
    state: Subscriber.State?, suppression: Suppression? = nil, confirmedAt: Timestamp? = nil,
    unsubscribedAt: Timestamp? = nil, suppressedAt: Timestamp? = nil, rejections: Int = 0
  ) {
    self.state = state
    self.suppression = suppression ?? (state == .suppressed ? .operator : nil)
    self.confirmedAt = confirmedAt
    self.unsubscribedAt = unsubscribedAt
    self.suppressedAt = suppressedAt
    self.rejections = rejections
  }

  /// The last time at which the person left the list or was suppressed, if any.
  ///
  /// An older link is not a proof, and an older mail is not wanted. Those of the same millisecond may
  /// be of a sign-up that followed.
  package var endedAt: Timestamp? {
    [unsubscribedAt, suppressedAt].compactMap(\.self).max()
  }
}

// MARK: - Actions of the person

extension Membership {
  /// The minimum time between two requests for a new link by the same link; a request within it
  /// stores nothing.
  package static let renewalPause: Duration = .seconds(600)

  /// Returns the membership after a sign-up through the form, and the mail to send, which the
  /// budget may withhold.
  package func signUp(at time: Timestamp, optIn: OptIn) -> (after: Membership, mail: MailKind?) {
    switch optIn {
    case .single: (singleSignUp(at: time), nil)
    case .double: (state == nil ? Membership(state: .pending) : self, mail(forSignUpAt: time))
    }
  }

  /// The mail that a request for a new link causes, with double opt-in.
  ///
  /// It is not withheld in ``peace``, because the person has an earlier mail.
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
    /// The person was already a subscriber; nothing changes.
    case already
    /// The person has left or was suppressed since the link or code was created; nothing changes.
    case gone
  }

  /// Returns the result of a confirmation by link or code, which clears a suppression and
  /// rejections.
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
      if let endedAt, proofMadeAt < endedAt { return .gone }
      return .confirmed(subscribed(at: time))
    }
  }

  /// Returns the membership after leaving; `nil` if the person is not on the list.
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

// MARK: - Reports of a relay or the operator

extension Membership {
  /// Returns the membership after a rejection of the mailbox, of which the second in a row
  /// suppresses; `nil` if nothing changes.
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

  /// Returns the membership after an accepted mail, which clears earlier rejections; `nil` if
  /// nothing changes.
  package func delivered() -> Membership? {
    guard rejections > 0, state != .suppressed else { return nil }
    var after = self
    after.rejections = 0
    return after
  }

  /// Returns the membership after a suppression; `nil` if nothing changes.
  ///
  /// A weaker reason does not replace a stronger one.
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

/// Whether the owner of an address must confirm a sign-up.
package enum OptIn: String, Hashable, Sendable, CaseIterable {
  /// A sign-up suffices; no mail is sent.
  case single
  /// The owner confirms by a link or a code in a mail.
  case double
}

/// A change of a state by the operator.
package enum StateChange: Hashable, Sendable {
  /// The person is off the list, and may come back by confirming; this also ends a suppression.
  case unsubscribe
  case suppress(Suppression)
}

extension Membership {
  /// Returns the membership after a change by the operator, which is the same if it already is as
  /// wanted, or suppressed for a stronger reason; `nil` for an address that is not on the list.
  ///
  /// Nobody can be made a subscriber: that takes the owner of the address.
  package func changed(_ change: StateChange, at time: Timestamp) -> Membership? {
    switch (change, state) {
    case (_, nil): nil
    case (.unsubscribe, .unsubscribed): self
    case (.unsubscribe, .pending), (.unsubscribe, .subscribed): leave(at: time)
    case (.unsubscribe, .suppressed):
      Membership(state: .unsubscribed, confirmedAt: confirmedAt, unsubscribedAt: time)
    case (.suppress(let reason), .pending), (.suppress(let reason), .subscribed),
      (.suppress(let reason), .unsubscribed), (.suppress(let reason), .suppressed):
      suppress(reason, at: time) ?? self
    }
  }
}

/// The reason why a subscriber is not mailed; the raw value is the stored one.
///
/// A stronger reason has a greater raw value.
package enum Suppression: Int64, Hashable, Sendable, CaseIterable {
  /// A relay rejected the mailbox twice; ends when the owner confirms.
  case hardBounce = 1
  /// The person reported a mail as spam.
  case complaint = 2
  /// The operator suppressed the address.
  case `operator` = 3
  /// The person objected to any further mail.
  case objected = 4

  /// The name in settings and exports.
  package var name: String {
    switch self {
    case .hardBounce: "hard_bounce"
    case .complaint: "complaint"
    case .operator: "operator"
    case .objected: "objected"
    }
  }

  /// Whether a confirmation by the owner ends the suppression.
  package var endsWithConfirmation: Bool {
    switch self {
    case .hardBounce: true
    case .complaint, .operator, .objected: false
    }
  }
}

/// The result of a suppression of an address.
package enum SuppressionResult: Hashable, Sendable {
  /// The subscriber is suppressed from now on, or for a stronger reason than before.
  case suppressed
  /// The address is not on the list; it will be suppressed if it is signed up.
  case unlisted
  /// The address was already suppressed, for a reason at least as strong; nothing has changed.
  case already
}
