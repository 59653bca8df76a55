internal import CCurl

/// The end of a transfer whose mail was not accepted.
enum SMTPFailure {
  /// The relay's reply to the last command, with a status of 400 or more.
  case reply(SMTPReply)
  /// The code of libcurl, when the last command has no complete reply.
  ///
  /// Not if there is one: a rejected recipient has the code of a failed transmission.
  case code(CURLcode)

  /// Decides what the failure means for the mail, by the step and the reply alone.
  ///
  /// - Returns: The error, without any text of the relay.
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
      // After the text the relay may have accepted the mail.
      case .rcpt, .text: .unknown(DeliveryFailure(step: step, transferCode: code.rawValue))
      }
    }
  }

  /// Returns the meaning of a reply to RCPT, DATA or the text.
  private static func error(_ failure: DeliveryFailure, status: Int) -> DeliveryError {
    switch status {
    // The relay closes the connection, or its authentication service is away (RFC 4954 §4.7.4).
    case 421, 454: .unknown(failure)
    case 400...499: .deferred(failure)
    default: rejectsRecipient(failure, status: status) ? .rejected(failure) : .notAccepted(failure)
    }
  }

  /// Returns whether a permanent failure is one of the recipient's mailbox.
  ///
  /// Every other one may be caused by the relay's configuration or by the sender.
  private static func rejectsRecipient(_ failure: DeliveryFailure, status: Int) -> Bool {
    guard let enhanced = failure.enhancedStatus else {
      // RFC 5321 §4.2.3: no such mailbox, not local, invalid name.
      return failure.step == .rcpt && [550, 551, 553].contains(status)
    }
    guard enhanced.category == 5 else { return false }
    // RFC 3463 §3.2: 5.1.7 and 5.1.8 are about the sender's address.
    if enhanced.subject == 1 { return enhanced.detail != 7 && enhanced.detail != 8 }
    // RFC 3463 §3.3: the mailbox is disabled.
    return enhanced.subject == 2 && enhanced.detail == 1
  }

  /// Returns the step that a code of libcurl belongs to, where commands do not show it.
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
