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

  /// Creates a conversation, which connects with the first mail.
  init(_ settings: SMTPSettings) {
    self.settings = settings
    sender = settings.sender.smtpMailbox
    transfer = SMTPTransfer(sockets: SMTPSockets(), transcript: settings.transcript)
  }

  /// Sends QUIT and closes the connection permanently, without waiting for the relay.
  func close() {
    transfer.close()
    if !transfer.sockets.isEmpty { handle?.sendQUIT() }
    handle = nil
  }

  /// Delivers a mail; must not be called after ``close()``.
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
    let first = send(attempt, by: deadline)
    switch first.isClosedConnection && !attempt.isCanceled ? send(attempt, by: deadline) : first {
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
    transfer.begin(attempt.message, of: attempt)
    let code = handle.sendMail(
      from: sender,
      to: attempt.mailbox,
      timeout: Self.milliseconds(until: deadline)
    )
    return code == CURLE_OK ? .accepted : failure(code, wasOpen: wasOpen)
  }

  private func openHandle() -> CurlHandle? {
    if handle == nil { handle = CurlHandle(settings, transfer: transfer) }
    return handle
  }

  /// Returns the outcome of a failed transfer, and discards the handle if the relay may still
  /// reply.
  ///
  /// - Parameter wasOpen: Whether the connection was open before the mail.
  private func failure(_ code: CURLcode, wasOpen: Bool) -> Outcome {
    let connectionCount = handle?.connectionCount ?? 0
    var step = transfer.step
    let error: DeliveryError
    if let reply = transfer.reply, reply.status >= 400 {
      error = SMTPFailure.reply(reply).error(at: step)
    } else {
      // libcurl keeps the connection after a timeout: a late reply would be mistaken for the reply
      // to a command of the next mail.
      handle = nil
      if step == .connect, connectionCount > 0 { step = .greeting }
      error = SMTPFailure.code(code).error(at: step)
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
