internal import Glibc
internal import Signals

/// The open sockets of one conversation, which any thread can shut down.
///
/// Shutting them down ends a libcurl call that waits for the relay, which libcurl itself cannot do.
/// It would wait for the reply to QUIT, up to a minute if the relay is silent, and checks for
/// cancellation only once a second during the wait for the reply to the text.
final class SMTPSockets: Sendable {
  private let descriptors = Lock<[Int32]>([])

  /// Whether no socket is open.
  var isEmpty: Bool { descriptors.withLock { $0.isEmpty } }

  /// Whether a socket is connected; the corresponding C function is `getpeername`.
  var isAnyConnected: Bool {
    descriptors.withLock { descriptors in
      descriptors.contains { descriptor in
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return getpeername(descriptor, &address, &length) == 0
      }
    }
  }

  /// Adds a socket that libcurl has opened.
  func add(_ descriptor: Int32) {
    descriptors.withLock { $0.append(descriptor) }
  }

  /// Removes and closes a socket; the corresponding C function is `close`.
  func close(_ descriptor: Int32) -> Int32 {
    descriptors.withLock { descriptors in
      descriptors.removeAll { $0 == descriptor }
      // Inside the lock, so that the list never contains a descriptor that was closed and reused.
      return Glibc.close(descriptor)
    }
  }

  /// Shuts down all sockets, so that no call waits for the relay; the corresponding C function is
  /// `shutdown`.
  ///
  /// Data that was already written is still sent.
  func shutDown() {
    descriptors.withLock { descriptors in
      for descriptor in descriptors { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
