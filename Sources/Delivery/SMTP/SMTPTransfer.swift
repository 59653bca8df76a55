/// The state of the transfers of one handle, which libcurl's callbacks read and write.
///
/// Only the conversation's queue uses it, except for cancellation. It stores neither the relay's text
/// nor the data that libcurl sends: both contain addresses, and the latter the password.
final class SMTPTransfer {
  /// The step of the last command.
  private(set) var step = DeliveryFailure.Step.connect
  /// The reply to the last command, once it is complete.
  private(set) var reply: SMTPReply?
  /// Whether the relay offers SMTPUTF8 (RFC 6531), according to its reply to the last EHLO.
  private(set) var offersSMTPUTF8 = false
  /// The open sockets of the handle.
  let sockets: SMTPSockets

  private let transcript: (@Sendable (SMTPTranscriptLine) -> Void)?
  /// The last line of an incomplete reply.
  private var formerLine: SMTPReply?
  private var isQuitting = false
  private var isClosing = false
  private var message: [UInt8] = []
  private var position = 0
  private var attempt: SMTPAttempt?
  /// Called once a connection has been established.
  private var connected: (() -> Void)?

  init(sockets: SMTPSockets, transcript: (@Sendable (SMTPTranscriptLine) -> Void)? = nil) {
    self.sockets = sockets
    self.transcript = transcript
  }

  /// Starts a transfer; the message is empty for NOOP.
  func begin(_ message: [UInt8], of attempt: SMTPAttempt) {
    step = .connect
    reply = nil
    formerLine = nil
    isQuitting = false
    isClosing = false
    self.message = message
    position = 0
    self.attempt = attempt
  }

  /// Ends a transfer, and releases the message.
  func end() {
    message = []
    attempt = nil
  }

  /// Sets an action for the time when a connection has been established, or is already.
  ///
  /// - Parameter action: Called at most once, on the conversation's queue; `nil` removes it.
  func whenConnected(_ action: (() -> Void)?) {
    connected = action
  }

  /// Handles the progress of a transfer, and returns whether it may continue; `false` if the
  /// attempt has been canceled.
  ///
  /// libcurl calls it at least once a second.
  func mayContinue() -> Bool {
    if let connected, sockets.isAnyConnected {
      self.connected = nil
      connected()
    }
    return attempt?.isCanceled != true
  }

  /// Copies the next part of the message, and returns the number of bytes; 0 after the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, message.count - position)
    message.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    return count
  }

  /// Prevents a new connection that would only send QUIT, until the next transfer begins.
  func close() {
    isClosing = true
  }

  /// Adds a socket of a new connection, and returns whether libcurl may connect it; otherwise
  /// libcurl closes it.
  func open(_ socket: Int32) -> Bool {
    isQuitting = false
    sockets.add(socket)
    return !isClosing
  }

  /// Reads a line of a reply.
  func receive(_ line: UnsafeRawBufferPointer) {
    // The reply to QUIT may arrive before the sockets are shut down; like QUIT, it is not part of
    // the conversation.
    if isQuitting { return }
    if step == .connect { step = .greeting }
    if let transcript {
      transcript(.reply(Self.text(line), isAuthenticating: step == .auth))
    }
    guard let line = readLine(line) else { return }
    guard line.isLast else {
      formerLine = line
      return
    }
    formerLine = nil
    // After 354 to DATA, libcurl sends the text, and the next reply is the reply to it.
    reply = line.status == 354 ? nil : line
    if line.status == 354 { transcript?(.sent("(\(message.count) bytes)")) }
  }

  private func readLine(_ line: UnsafeRawBufferPointer) -> SMTPReply? {
    if step == .ehlo, SMTPReply.line(line, offers: "SMTPUTF8") { offersSMTPUTF8 = true }
    return SMTPReply(line: line, after: formerLine)
  }

  /// Reads a command that libcurl has sent.
  ///
  /// The lines after AUTH are not commands, and match none of them: base64 has no spaces, and the
  /// words without spaces are not the base64 of a text.
  func sent(_ command: UnsafeRawBufferPointer) {
    func begins(with word: StaticString) -> Bool {
      word.withUTF8Buffer { command.starts(with: $0) }
    }
    if begins(with: "MAIL FROM:") {
      step = .mail
    } else if begins(with: "RCPT TO:") {
      step = .rcpt
    } else if begins(with: "DATA\r\n") {
      step = .text
    } else if begins(with: "NOOP\r\n") {
      // NOOP replaces EHLO on an open connection, to check whether the relay offers SMTPUTF8.
      step = .ehlo
    } else if begins(with: "EHLO ") || begins(with: "HELO ") {
      step = .ehlo
      offersSMTPUTF8 = false
    } else if begins(with: "STARTTLS\r\n") {
      step = .tls
    } else if begins(with: "AUTH ") {
      step = .auth
    } else if begins(with: "QUIT\r\n") {
      // libcurl is closing the connection; do not let it wait for the reply.
      isQuitting = true
      return sockets.shutDown()
    }
    reply = nil
    formerLine = nil
    if let transcript {
      transcript(.command(Self.text(command), isAuthenticating: step == .auth))
    }
  }

  /// Returns a line without its line end.
  private static func text(_ line: UnsafeRawBufferPointer) -> String {
    var bytes = line[...]
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      bytes.removeLast()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
