internal import CCurl

/// The step at which a delivery failed, and the relay's status.
package struct DeliveryFailure: Hashable, Sendable {
  /// A step of a delivery, in order.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    /// Looking up the relay and connecting to it.
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
    /// Writing a file, where mails go to a directory.
    case file
  }

  /// The step that failed.
  package let step: Step
  /// The status of the relay's reply, such as 550; `nil` without a reply.
  ///
  /// For ``Step/file`` it is the `errno` of the failed call.
  package let status: Int?
  /// The enhanced status of the relay's reply, if any (RFC 3463).
  package let enhancedStatus: EnhancedStatus?
  /// The code with which libcurl ended (`CURLcode`), where there is no reply.
  package let transferCode: UInt32?

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - status: The status of the relay's reply, if any.
  ///   - enhancedStatus: The enhanced status of the relay's reply, if any.
  ///   - transferCode: The code with which libcurl ended, if there is no reply.
  package init(
    step: Step,
    status: Int? = nil,
    enhancedStatus: EnhancedStatus? = nil,
    transferCode: UInt32? = nil
  ) {
    self.step = step
    self.status = status
    self.enhancedStatus = enhancedStatus
    self.transferCode = transferCode
  }

  /// What libcurl says about ``transferCode``, such as `Couldn't resolve host name (curl 6)`; `nil`
  /// without one.
  ///
  /// It is a fixed text for each code, without any name or address. The corresponding C function is
  /// `curl_easy_strerror`.
  package var cause: String? {
    guard let transferCode else { return nil }
    let text = curl_easy_strerror(CURLcode(rawValue: transferCode)).map { String(cString: $0) }
    return "\(text ?? "unknown error") (curl \(transferCode))"
  }
}

extension DeliveryFailure: CustomStringConvertible {
  /// The step and what is known of the reply, such as `RCPT: 550 5.1.1`, or `connect`.
  package var description: String {
    let reply = [status.map(String.init), enhancedStatus?.description].compactMap(\.self)
    return reply.isEmpty ? step.rawValue : "\(step.rawValue): \(reply.joined(separator: " "))"
  }
}
