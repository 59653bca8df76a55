internal import CCurl

/// The failure of a transfer, from the relay's reply or libcurl's code.
enum SMTPFailure {
  /// The relay's reply to the last command, with a status of 400 or more.
  case reply(SMTPReply)
  /// The code of libcurl, if the last command has no complete reply.
  ///
  /// A complete reply takes precedence: libcurl reports a rejected recipient as a failed
  /// transmission.
  case code(CURLcode)

  /// Returns the error for the mail, which depends only on the step and the reply or code, and
  /// contains no text of the relay.
  func error(at step: DeliveryFailure.Step) -> DeliveryError {
    switch self {
    case .reply(let reply):
      let failure = DeliveryFailure(
        step: step,
        status: reply.status,
        enhancedStatus: reply.enhancedStatus
      )
      return switch step {
      case .connect, .greeting, .ehlo, .tls, .auth, .mail, .file: .relayUnavailable(failure)
      case .rcpt, .text: Self.error(failure, status: reply.status)
      }
    case .code(let code):
      return switch step {
      case .connect, .greeting, .ehlo, .tls, .auth, .mail, .file:
        .relayUnavailable(
          DeliveryFailure(step: Self.step(of: code) ?? step, transferCode: code.rawValue)
        )
      // The relay may have accepted the mail after its text.
      case .rcpt, .text: .unknown(DeliveryFailure(step: step, transferCode: code.rawValue))
      }
    }
  }

  /// Returns the error for a reply to RCPT, DATA or the text.
  private static func error(_ failure: DeliveryFailure, status: Int) -> DeliveryError {
    switch status {
    // The relay closes the connection, or its authentication is unavailable (RFC 4954 §4.7.4).
    case 421, 454: .unknown(failure)
    case 400...499: .deferred(failure)
    default: rejectsRecipient(failure, status: status) ? .rejected(failure) : .notAccepted(failure)
    }
  }

  /// Returns whether a permanent failure is caused by the recipient's mailbox.
  ///
  /// Any other failure may be caused by the relay's configuration or by the sender.
  private static func rejectsRecipient(_ failure: DeliveryFailure, status: Int) -> Bool {
    guard let enhanced = failure.enhancedStatus else {
      // RFC 5321 §4.2.3: no such mailbox, not local, invalid name.
      return failure.step == .rcpt && [550, 551, 553].contains(status)
    }
    guard enhanced.category == 5 else { return false }
    // RFC 3463 §3.2: 5.1.7 and 5.1.8 concern the sender's address.
    if enhanced.subject == 1 { return enhanced.detail != 7 && enhanced.detail != 8 }
    // RFC 3463 §3.3: the mailbox is disabled.
    return enhanced.subject == 2 && enhanced.detail == 1
  }

  /// Returns the step that a code of libcurl implies; `nil` if only the last command shows it.
  private static func step(of code: CURLcode) -> DeliveryFailure.Step? {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .connect
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE:
      .tls
    case CURLE_LOGIN_DENIED: .auth
    default: nil
    }
  }
}
