internal import Platform
internal import CMicrohttpd
internal import Glibc
internal import Logging

/// The receiver of libmicrohttpd's messages about the daemon of one event loop.
// Used on the loop's thread only.
final class LibraryLog {
  private let logger: Logger
  private let rejections: RejectionLog
  /// Called when libmicrohttpd could not accept a connection because there were no descriptors;
  /// libmicrohttpd is in the middle of accepting then.
  var acceptFailed: () -> Void = {}
  /// Called when the TLS handshake of a connection has failed, before libmicrohttpd closes it.
  var handshakeFailed: () -> Void = {}

  init(logger: Logger, rejections: RejectionLog) {
    self.logger = logger
    self.rejections = rejections
  }

  func log(_ text: String) {
    if Acceptor.isFailure(text) { acceptFailed() }
    if SocketTakeover.isExpected(text) { return }
    if text.hasPrefix("Error: received handshake message out of context") { handshakeFailed() }
    let message = LibraryMessage(text)
    if let kind = message.kind {
      rejections.count(kind, metadata: ["message": "\(message.text)"])
    }
    logger.debug("libmicrohttpd", metadata: ["message": "\(message.text)"])
  }
}

/// Forwards libmicrohttpd's messages to a ``LibraryLog`` (`MHD_OPTION_EXTERNAL_LOGGER`).
let logHandler: MHD_LogCallback = { closure, format, arguments in
  guard let closure, let format, let arguments else { return }
  var line = [CChar](repeating: 0, count: 512)
  vsnprintf(&line, line.count, format, arguments)
  Unmanaged<LibraryLog>.fromOpaque(closure).takeUnretainedValue().log(String(cBuffer: line))
}
