internal import CMicrohttpd
internal import Glibc

/// Tries, with the libmicrohttpd that is there, whether a connection lives on in a copy of its
/// socket after the content of its response has failed.
///
/// A small daemon without a port is given one end of a pair of sockets, and a request.
enum HandoverTrial {
  /// The flags that event streams need of a daemon.
  static let flags = MHD_USE_EPOLL.rawValue | MHD_USE_TURBO.rawValue

  /// Whether it does; tried once in a process, in less than a millisecond.
  static let hasPassed: Bool = run()

  /// What the callbacks of the trial write down.
  final class Record {
    var copy: Int32 = -1
    var isCompleted = false
    var connection: OpaquePointer?
  }

  private static func run() -> Bool {
    let record = Record()
    return withExtendedLifetime(record) {
      let closure = Unmanaged.passUnretained(record).toOpaque()
      let options = [
        MHD_OptionItem(
          option: .EXTERNAL_LOGGER,
          value: unsafeBitCast(silentLogHandler, to: Int.self),
          ptr_value: nil
        ),
        MHD_OptionItem(
          option: .NOTIFY_COMPLETED,
          value: unsafeBitCast(trialCompletedHandler, to: Int.self),
          ptr_value: closure
        ),
        MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
      ]
      let flags = flags | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_USE_ERROR_LOG.rawValue
      guard let daemon = cmicrohttpd_start(flags, trialAccessHandler, closure, options) else {
        return false
      }
      defer { MHD_stop_daemon(daemon) }
      var ends: [Int32] = [-1, -1]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return false }
      defer { close(ends[0]) }
      var address = sockaddr()
      address.sa_family = sa_family_t(AF_UNIX)
      let size = socklen_t(MemoryLayout<sockaddr>.size)
      guard MHD_add_connection(daemon, ends[1], &address, size) == .YES else { return false }
      let request = "GET / HTTP/1.1\r\nHost: trial\r\n\r\n"
      send(ends[0], request, request.utf8.count, Int32(MSG_NOSIGNAL))
      // More turns than it needs; each does what can be done without waiting.
      for _ in 0..<8 { MHD_run(daemon) }
      defer { if record.copy >= 0 { close(record.copy) } }
      return record.isCompleted && livesOn(client: ends[0], server: record.copy)
    }
  }

  /// Whether the head has arrived, and after it what is sent now, and no end.
  private static func livesOn(client: Int32, server: Int32) -> Bool {
    guard server >= 0, send(server, "x", 1, Int32(MSG_NOSIGNAL)) == 1 else { return false }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = recv(client, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    let isWhole = String(decoding: buffer[..<count], as: UTF8.self).hasSuffix("\r\n\r\nx")
    return isWhole && recv(client, &buffer, 1, 0) == -1 && errno == EAGAIN
  }
}

private let silentLogHandler: MHD_LogCallback = { _, _, _ in }

private let trialAccessHandler: MHD_AccessHandlerCallback = {
  closure,
  connection,
  _,
  _,
  _,
  _,
  _,
  context in
  guard let closure, let connection, let context else { return .NO }
  guard context.pointee != nil else {
    context.pointee = closure
    return .YES
  }
  Unmanaged<HandoverTrial.Record>.fromOpaque(closure).takeUnretainedValue().connection = connection
  guard let response = MHD_create_response_from_callback(.max, 128, trialReader, closure, nil)
  else { return .NO }
  defer { MHD_destroy_response(response) }
  return MHD_queue_response(connection, 200, response)
}

private let trialReader: MHD_ContentReaderCallback = { closure, _, _, _ in
  guard let closure else { return MHD_CONTENT_READER_END_WITH_ERROR }
  let record = Unmanaged<HandoverTrial.Record>.fromOpaque(closure).takeUnretainedValue()
  if let connection = record.connection, record.copy < 0 {
    record.copy = fcntl(cmicrohttpd_descriptor(connection), F_DUPFD_CLOEXEC, 3)
  }
  return MHD_CONTENT_READER_END_WITH_ERROR
}

private let trialCompletedHandler: MHD_RequestCompletedCallback = { closure, _, _, _ in
  guard let closure else { return }
  Unmanaged<HandoverTrial.Record>.fromOpaque(closure).takeUnretainedValue().isCompleted = true
}
