import Glibc
import Testing

@testable import Microhttpd

/// The failures after which the daemon accepts connections itself.
@Suite struct AcceptorTests {
  @Test(
    arguments: [
      (EMFILE, true), (ENFILE, true), (ENOMEM, true), (ENOBUFS, true), (ECONNABORTED, false),
      (EPERM, false),
    ]
  )
  func `takes over where the system lacks something, not for a single connection`(
    _ number: Int32, _ isShortage: Bool
  ) {
    let reason = String(cString: strerror(number))
    #expect(Acceptor.isFailure("Error accepting connection: \(reason)\n") == isShortage)
    #expect(!Acceptor.isFailure("Failed to send data: \(reason)\n"))
  }
}
