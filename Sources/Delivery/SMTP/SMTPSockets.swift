internal import Glibc
internal import Locks

/// The open sockets of one conversation, which any thread can shut down.
///
/// It does what libcurl cannot: end a call that waits for the relay. libcurl itself would wait for
/// the reply to QUIT, up to a minute if the relay is silent, and notices a cancellation of the
/// text's reply only once a second.
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
      // Inside the lock: a descriptor in the list is never one that was closed and used again.
      return Glibc.close(descriptor)
    }
  }

  /// Shuts all sockets down, so that nobody waits for the relay; the corresponding C function is
  /// `shutdown`.
  ///
  /// What was written before is still sent.
  func shutDown() {
    descriptors.withLock { descriptors in
      for descriptor in descriptors { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }
}
