internal import Signals
internal import Synchronization

/// An attempt to deliver one mail, which any thread may cancel.
final class SMTPAttempt: Sendable {
  /// The mailbox in the form that SMTP commands require, without angle brackets.
  let mailbox: String
  /// Whether the mailbox requires SMTPUTF8 (RFC 6531).
  let requiresSMTPUTF8: Bool
  let message: [UInt8]

  private let canceled = Atomic(false)
  /// The sockets of the conversation that runs the attempt.
  private let running = Lock<SMTPSockets?>(nil)
  private let ended: @Sendable (Result<Void, DeliveryError>) -> Void

  /// Creates an attempt; `ended` is called once, on the queue that ran it, or where it was rejected.
  init(
    mailbox: String, requiresSMTPUTF8: Bool, message: [UInt8],
    ended: @escaping @Sendable (Result<Void, DeliveryError>) -> Void
  ) {
    self.mailbox = mailbox
    self.requiresSMTPUTF8 = requiresSMTPUTF8
    self.message = message
    self.ended = ended
  }

  /// Whether the local part has other characters than those that every relay takes by default.
  ///
  /// Exim rejects `!`, `#`, `%`, `&`, `?` and a leading `/`, Postfix a leading hyphen, for example.
  var isUnusual: Bool {
    let local = mailbox.utf8.prefix(upTo: mailbox.lastIndex(of: "@") ?? mailbox.endIndex)
    return local.first == UInt8(ascii: "-")
      || !local.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "="):
          true
        default: false
        }
      }
  }

  /// Whether ``cancel()`` was called.
  var isCanceled: Bool { canceled.load(ordering: .acquiring) }

  /// Ends the attempt as soon as possible; it still reports a result.
  func cancel() {
    canceled.store(true, ordering: .releasing)
    // Inside the lock, because afterwards the sockets may belong to the next attempt.
    running.withLock { $0?.shutDown() }
  }

  /// Lets ``cancel()`` shut down sockets from now on.
  func begin(on sockets: SMTPSockets) {
    running.withLock { $0 = sockets }
  }

  /// Releases the sockets; after this call, ``cancel()`` does not touch them.
  func release() {
    running.withLock { $0 = nil }
  }

  /// Reports the result.
  func end(_ result: Result<Void, DeliveryError>) {
    ended(result)
  }
}
