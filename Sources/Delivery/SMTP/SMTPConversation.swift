internal import CCurl
internal import EmailAddresses
internal import Signals

/// A conversation with a relay: mails, one after another, over one connection.
///
/// Each mail blocks the scheduler, because libcurl does, for at most ``SMTPSettings/mailTimeout``,
/// and ends promptly when its attempt is canceled.
// @unchecked Sendable because only work on the scheduler uses what is private.
final class SMTPConversation: @unchecked Sendable {
  /// The scheduler on which everything else is called.
  let scheduler = QueueScheduler(label: "enlist.smtp")
  /// The end of an idle connection that gets no mail.
  let idleEnd = SerialDisposable()

  private let settings: SMTPSettings
  private let sender: String
  private let transfer: SMTPTransfer
  private var handle: CurlHandle?
  /// The number of mails over the open connection.
  private var mailCount = 0

  /// The maximum number of mails over one connection.
  ///
  /// Exim only queues what comes after the tenth (`smtp_accept_queue_per_connection`), for up to half
  /// an hour, in which the code in the mail expires.
  private static let maximumMails = 10

  /// Creates a conversation, which connects with the first mail.
  init(_ settings: SMTPSettings) {
    self.settings = settings
    sender = settings.sender.smtpMailbox
    transfer = SMTPTransfer(sockets: SMTPSockets(), transcript: settings.transcript)
  }

  /// Sends QUIT and closes the connection, without waiting for the relay.
  func close() {
    transfer.close()
    if !transfer.sockets.isEmpty { handle?.sendQUIT() }
    handle = nil
  }

  /// Delivers a mail.
  ///
  /// If the relay has closed the idle connection, which it may do at any time, the mail is sent
  /// over a new connection immediately.
  func deliver(_ attempt: SMTPAttempt) throws(DeliveryError) {
    if attempt.isCanceled { throw .relayUnavailable(DeliveryFailure(step: .connect)) }
    let deadline = ContinuousClock.now + settings.mailTimeout
    attempt.begin(on: transfer.sockets)
    defer {
      attempt.release()
      transfer.end()
    }
    var outcome = send(attempt, by: deadline)
    if outcome.isClosedConnection, !attempt.isCanceled { outcome = send(attempt, by: deadline) }
    if mailCount >= Self.maximumMails { close() }
    switch outcome {
    case .accepted: return
    case .failed(let error), .closedConnection(let error): throw error
    }
  }

  /// The result of one transfer.
  private enum Outcome {
    case accepted
    case failed(DeliveryError)
    /// The transfer failed before RCPT, on a connection that was already open.
    case closedConnection(DeliveryError)

    var isClosedConnection: Bool {
      switch self {
      case .accepted, .failed: false
      case .closedConnection: true
      }
    }
  }

  private func send(_ attempt: SMTPAttempt, by deadline: ContinuousClock.Instant) -> Outcome {
    let wasOpen = !transfer.sockets.isEmpty
    guard let handle = openHandle() else {
      return .failed(.relayUnavailable(DeliveryFailure(step: .connect)))
    }
    if attempt.requiresSMTPUTF8 {
      // libcurl omits SMTPUTF8 if the relay does not offer it, so check first.
      transfer.begin([], of: attempt)
      let code = handle.sendNOOP(timeout: Self.milliseconds(until: deadline))
      guard code == CURLE_OK else { return failure(code, wasOpen: wasOpen) }
      guard transfer.offersSMTPUTF8 else {
        return .failed(.undeliverableHere(DeliveryFailure(step: .ehlo)))
      }
    }
    mailCount = transfer.sockets.isEmpty ? 1 : mailCount + 1
    transfer.begin(attempt.message, of: attempt)
    let code = handle.sendMail(
      from: sender, to: attempt.mailbox, timeout: Self.milliseconds(until: deadline))
    return code == CURLE_OK
      ? .accepted : failure(code, wasOpen: wasOpen, isUnusual: attempt.isUnusual)
  }

  private func openHandle() -> CurlHandle? {
    if handle == nil { handle = CurlHandle(settings, transfer: transfer) }
    return handle
  }

  /// Returns the outcome of a failed transfer, and discards the handle if the relay may still
  /// reply.
  ///
  /// - Parameter wasOpen: Whether the connection was open before the mail.
  private func failure(_ code: CURLcode, wasOpen: Bool, isUnusual: Bool = false) -> Outcome {
    let connectionCount = handle?.connectionCount ?? 0
    var step = transfer.step
    let error: DeliveryError
    if let reply = transfer.reply, reply.status >= 400 {
      error = SMTPFailure.reply(reply).error(at: step, isUnusual: isUnusual)
    } else {
      // libcurl keeps the connection after a timeout: a late reply would be mistaken for the reply
      // to a command of the next mail.
      handle = nil
      if step == .connect, connectionCount > 0 { step = .greeting }
      error = SMTPFailure.code(code).error(at: step, isUnusual: isUnusual)
    }
    let isBeforeMail = step != .rcpt && step != .text
    return wasOpen && connectionCount == 0 && isBeforeMail
      ? .closedConnection(error) : .failed(error)
  }

  /// Returns the remaining time, at least a millisecond, because 0 means no timeout to libcurl.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int {
    max((deadline - ContinuousClock.now).milliseconds, 1)
  }
}
