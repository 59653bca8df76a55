internal import Dispatch
internal import Glibc
internal import Microhttpd
internal import Synchronization

/// SIGHUP, the Unix signal that makes the service reload its files.
enum HangupSignal {
  /// The end of the pipe that the handler writes to; -1 until it is installed.
  private static let writeEnd = Atomic<Int32>(-1)

  /// Installs the signal handler; call once.
  ///
  /// The handler only writes a byte to a pipe, because little else is safe in a signal handler.
  /// Signals that arrive while one is being handled count as one.
  ///
  /// - Returns: A stream with an element for each signal, which never ends.
  /// - Throws: `DaemonError` if no descriptor is left.
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
      // The event handler owns the source, which would be canceled without an owner.
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
