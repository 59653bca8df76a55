internal import Glibc

/// One of the streams that the process was started with, written to without a buffer.
struct OutputStream: Sendable {
  /// Where results go.
  static let standardOutput = OutputStream(descriptor: STDOUT_FILENO)
  /// Where everything else goes.
  static let standardError = OutputStream(descriptor: STDERR_FILENO)

  private let descriptor: Int32

  /// Makes a stream of an open descriptor, which stays its owner's.
  ///
  /// - Parameter descriptor: The open descriptor.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes text and the end of a line, in one piece as far as the system lets it.
  ///
  /// - Parameter line: The text.
  /// - Throws: `OutputError` when not all of it was written.
  func write(line: String) throws(OutputError) {
    try write(Array("\(line)\n".utf8))
  }

  /// Writes bytes, however many calls it takes; the corresponding C function is `write`.
  ///
  /// - Parameter bytes: All of what is to be written.
  /// - Throws: `OutputError` when not all of it was written.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try write(bytes[...])
  }

  /// Writes bytes, however many calls it takes; the corresponding C function is `write`.
  ///
  /// - Parameter bytes: All of what is to be written.
  /// - Throws: `OutputError` when not all of it was written.
  func write(_ bytes: ArraySlice<UInt8>) throws(OutputError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR:
        continue
      case EAGAIN:
        // Whoever started the program made the stream non-blocking.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      case EPIPE:
        throw .closed
      case let code:
        throw .failed(errno: code)
      }
    }
  }
}

/// Why something could not be written.
enum OutputError: Error, Hashable, Sendable {
  /// Nobody reads any more.
  case closed
  /// Anything else.
  case failed(errno: Int32)
}

extension OutputError: CustomStringConvertible {
  var description: String {
    switch self {
    case .closed: "nobody reads the output any more"
    case .failed(let code): "cannot write: \(SystemError.text(of: code))"
    }
  }
}
