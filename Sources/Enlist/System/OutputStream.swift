internal import Glibc

/// An unbuffered output stream over a file descriptor.
struct OutputStream: Sendable {
  /// The stream for results.
  static let standardOutput = OutputStream(descriptor: STDOUT_FILENO)
  /// The stream for errors and the log.
  static let standardError = OutputStream(descriptor: STDERR_FILENO)

  /// An open descriptor, which its owner closes.
  let descriptor: Int32

  /// Writes text and a line end, in a single write if the system allows it.
  func write(line: String) throws(OutputError) { try write("\(line)\n".utf8) }

  /// Writes all bytes, in as many calls as needed.
  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // The parent process made the stream non-blocking.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      case EPIPE: throw .closed
      case let code: throw .failed(errno: code)
      }
    }
  }
}

/// A failed write to an output stream.
enum OutputError: Error, Hashable, CustomStringConvertible {
  /// The reader has closed the pipe.
  case closed
  case failed(errno: Int32)

  var description: String {
    switch self {
    case .closed: "the reader of the output has closed it"
    case .failed(let code): "cannot write the output: \(SystemError.text(of: code))"
    }
  }
}

/// The system's descriptions of its error codes.
enum SystemError {
  static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
