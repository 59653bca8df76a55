package import Signals

/// A stored consent: the agreement or its withdrawal, its time, and its means.
///
/// A class: passing it copies one reference instead of a dozen strings.
package final class RecordedConsent: Sendable {
  package let subscriberID: Int64
  /// The id of the record; for a sign-up, the id of its execution.
  package let id: ExecutionID
  /// `requested`, `confirmed`, `withdrawn` or `imported`.
  package let kind: String
  package let time: Timestamp
  /// The means of a confirmation or a withdrawal, such as `link` or `code`.
  package let means: String?
  /// The sign-up whose mail led to a confirmation or a withdrawal.
  package let requestID: ExecutionID?
  /// The Message-ID of that mail.
  package let messageID: String?
  /// The wording of that mail.
  package let wording: Wording?
  package let consent: Consent

  /// The text of a mail, without links and code.
  package struct Wording: Hashable, Sendable {
    /// The language (BCP 47).
    package let language: String
    package let subject: String
    package let text: String

    package init(language: String, subject: String, text: String) {
      self.language = language
      self.subject = subject
      self.text = text
    }
  }

  package init(
    subscriberID: Int64, id: ExecutionID, kind: String, time: Timestamp, means: String?,
    requestID: ExecutionID?, messageID: String?, wording: Wording?, consent: Consent
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
/// The function may be called from any thread and does not block; the signal sends on a thread that
/// the reader chooses.
package protocol ConsentReader: Sendable {
  /// Reads consents of subscribers, a bounded number at a time, because one person can have any
  /// number.
  ///
  /// The signal is cold; it sends one array, in the order of subscribers and times, and completes.
  /// The array is empty if no consents remain. The signal fails with `StoreError` if the list
  /// cannot be read.
  ///
  /// - Parameters:
  ///   - last: Only consents after this one are read; `nil` starts with the first.
  ///   - limit: The maximum number of consents, 1 or more.
  func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) -> Signal<[RecordedConsent], StoreError>
}
