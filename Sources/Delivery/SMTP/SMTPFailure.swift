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
  ///
  /// - Parameter isUnusual: Whether the recipient has a local part that some relays do not take.
  func error(at step: DeliveryFailure.Step, isUnusual: Bool) -> DeliveryError {
    switch self {
    case .reply(let reply):
      let failure = DeliveryFailure(
        step: step, status: reply.status, enhancedStatus: reply.enhancedStatus)
      return switch step {
      case .connect, .greeting, .ehlo, .tls, .auth, .mail, .file: .relayUnavailable(failure)
      case .rcpt, .text: Self.error(failure, reply, isUnusual: isUnusual)
      }
    case .code(let code):
      return switch step {
      case .connect, .greeting, .ehlo, .tls, .auth, .mail, .file:
        .relayUnavailable(
          DeliveryFailure(step: Self.step(of: code) ?? step, transferCode: code.rawValue))
      // The relay may have accepted the mail after its text.
      case .rcpt, .text: .unknown(DeliveryFailure(step: step, transferCode: code.rawValue))
      }
    }
  }

  /// Returns the error for a reply to RCPT, DATA or the text.
  ///
  /// Only what names the mailbox is blamed on it, because that leads to its suppression; any other
  /// failure may be caused by the relay's configuration, its grammar, or the sender.
  private static func error(
    _ failure: DeliveryFailure, _ reply: SMTPReply, isUnusual: Bool
  ) -> DeliveryError {
    switch reply.status {
    // The relay closes the connection.
    case 421: return .unknown(failure)
    case 400...499: return .deferred(failure)
    default: break
    }
    guard let enhanced = reply.enhancedStatus else {
      // RFC 5321 §4.2.3: no such mailbox, not local, invalid name, syntax; 511 is Courier's. But
      // some relays say the same to everyone they do not relay for.
      guard failure.step == .rcpt, [501, 511, 550, 551, 553].contains(reply.status) else {
        return .notAccepted(failure)
      }
      return isUnusual ? .undeliverableHere(failure) : .unclear(failure)
    }
    switch (enhanced.category, enhanced.subject, enhanced.detail) {
    // RFC 3463 §3.2, §3.3, RFC 7505: no such mailbox or domain, moved, no mail there, disabled.
    case (5, 1, 1), (5, 1, 2), (5, 1, 6), (5, 1, 10), (5, 2, 1): return .rejected(failure)
    // The relay's grammar.
    case (5, 1, 3): return .undeliverableHere(failure)
    default: return .notAccepted(failure)
    }
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
