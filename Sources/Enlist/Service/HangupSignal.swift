internal import Dispatch
internal import Glibc
internal import Microhttpd
internal import Synchronization

/// SIGHUP, with which an operator asks for files to be read again.
enum HangupSignal {
  /// Where the handler writes; -1 before it is installed.
  private static let writeEnd = Atomic<Int32>(-1)

  /// Listens from now on, however often the signal comes.
  ///
  /// The handler writes a byte to a pipe, which is all that a handler may safely do here. Signals that
  /// come while one is being handled count as one.
  ///
  /// - Returns: An element for each signal; it never ends. To be called once.
  /// - Throws: `DaemonError` when there is no descriptor left.
  static func listen() throws(DaemonError) -> AsyncStream<Void> {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system(function: "pipe", errorNumber: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    let readEnd = ends[0]
    writeEnd.store(ends[1], ordering: .releasing)
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .global())
    source.setEventHandler {
      // The handler holds on to the source, which would be canceled without an owner.
      _ = source
      var bytes: (UInt64, UInt64) = (0, 0)
      while read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
      continuation.yield()
    }
    source.resume()
    signal(SIGHUP) { _ in
      let number = errno
      var byte: UInt8 = 0
      _ = write(HangupSignal.writeEnd.load(ordering: .acquiring), &byte, 1)
      errno = number
    }
    return signals
  }
}
