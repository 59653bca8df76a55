internal import CCurl

/// The step at which a delivery failed, and the relay's status.
package struct DeliveryFailure: Hashable, Sendable {
  /// A step of a delivery; the cases are in order.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    /// The DNS lookup of the relay and the connection to it.
    case connect
    /// The relay's greeting (RFC 5321 §3.1).
    case greeting
    /// `EHLO`.
    case ehlo = "EHLO"
    /// The TLS handshake, after `STARTTLS` or from the first byte.
    case tls = "TLS"
    /// `AUTH` (RFC 4954).
    case auth = "AUTH"
    /// `MAIL FROM`.
    case mail = "MAIL"
    /// `RCPT TO`.
    case rcpt = "RCPT"
    /// `DATA`, the text of the mail, and the reply to it.
    case text
    /// The writing of a file, if mails go to a directory.
    case file
  }

  package let step: Step
  /// The status of the relay's reply, such as 550; `nil` without a reply.
  ///
  /// For ``Step/file`` it is the `errno` of the failed call.
  package let status: Int?
  /// The enhanced status of the relay's reply, if any (RFC 3463).
  package let enhancedStatus: EnhancedStatus?
  /// The result code of libcurl (`CURLcode`) if there was no reply.
  package let transferCode: UInt32?

  package init(
    step: Step, status: Int? = nil, enhancedStatus: EnhancedStatus? = nil,
    transferCode: UInt32? = nil
  ) {
    self.step = step
    self.status = status
    self.enhancedStatus = enhancedStatus
    self.transferCode = transferCode
  }

  /// Whether the relay denies its service rather than this mail: 454, with which Postfix answers
  /// whom it does not relay for, and which RFC 4954 §4.7.4 has for authentication.
  var deniesService: Bool { status == 454 }

  /// libcurl's message for ``transferCode``, such as `Couldn't resolve host name (curl 6)`.
  ///
  /// The message is fixed for each code, and contains neither names nor addresses. The
  /// corresponding C function is `curl_easy_strerror`.
  package var cause: String? {
    guard let transferCode else { return nil }
    let text = curl_easy_strerror(CURLcode(rawValue: transferCode)).map { String(cString: $0) }
    return "\(text ?? "unknown error") (curl \(transferCode))"
  }
}

extension DeliveryFailure: CustomStringConvertible {
  /// The step and the status of the reply, such as `RCPT: 550 5.1.1`, or only `connect`.
  package var description: String {
    let reply = [status.map(String.init), enhancedStatus?.description].compactMap(\.self)
    return reply.isEmpty ? step.rawValue : "\(step.rawValue): \(reply.joined(separator: " "))"
  }
}
