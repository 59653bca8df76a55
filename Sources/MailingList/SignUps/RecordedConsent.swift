package import Signals

/// A consent as a store keeps it: what was agreed to or withdrawn, when, and by what means.
///
/// A class: passing it copies one reference instead of a dozen strings.
package final class RecordedConsent: Sendable {
  /// The store's number of the subscriber.
  package let subscriberID: Int64
  /// The id of the record; for a sign-up, that of its execution.
  package let id: ExecutionID
  /// What happened: `requested`, `confirmed`, `withdrawn` or `imported`.
  package let kind: String
  /// When it happened.
  package let time: Timestamp
  /// The means of a confirmation or a withdrawal, such as `link` or `code`.
  package let means: String?
  /// The sign-up whose mail led to a confirmation or a withdrawal.
  package let requestID: ExecutionID?
  /// The Message-ID of that mail.
  package let messageID: String?
  /// What that mail said.
  package let wording: Wording?
  /// Where the request came from.
  package let consent: Consent

  /// What a mail said, without links and code.
  package struct Wording: Hashable, Sendable {
    /// The language (BCP 47).
    package let language: String
    /// The subject.
    package let subject: String
    /// The text.
    package let text: String

    /// Creates a wording from stored values.
    package init(language: String, subject: String, text: String) {
      self.language = language
      self.subject = subject
      self.text = text
    }
  }

  /// Creates a consent from stored values.
  package init(
    subscriberID: Int64,
    id: ExecutionID,
    kind: String,
    time: Timestamp,
    means: String?,
    requestID: ExecutionID?,
    messageID: String?,
    wording: Wording?,
    consent: Consent
  ) {
    self.subscriberID = subscriberID
    self.id = id
    self.kind = kind
    self.time = time
    self.means = means
    self.requestID = requestID
    self.messageID = messageID
    self.wording = wording
    self.consent = consent
  }
}

/// Read access to the consents of subscribers.
///
/// Its function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol ConsentReader: Sendable {
  /// Reads consents of subscribers, a bounded number at a time: one person can have any number.
  ///
  /// - Parameters:
  ///   - last: Only consents after this one are read; `nil` starts with the first.
  ///   - limit: The maximum number of consents, 1 or more.
  /// - Returns: A cold signal that sends one array, in the order of subscribers and times, which is
  ///   empty when no consents are left, and completes. It fails with `StoreError` when the list
  ///   cannot be read.
  func consents(
    ofSubscribers subscribers: ClosedRange<Int64>,
    after last: RecordedConsent?,
    limit: Int
  ) -> Signal<[RecordedConsent], StoreError>
}
