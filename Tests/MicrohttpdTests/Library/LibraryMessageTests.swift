import Testing

@testable import Microhttpd

/// The classification and cleanup of libmicrohttpd's log messages.
@Suite struct LibraryMessageTests {
  @Test(
    arguments: [
      (
        "Error processing request (HTTP response code is 400 ('Bad')). Closing connection.\n",
        .malformedRequest
      ),
      ("Error processing request (HTTP response code is 431 ('…')). …", .malformedRequest),
      ("Error processing request (HTTP response code is 505 ('…')). …", .malformedRequest),
      ("Error processing request (HTTP response code is 500 ('…')). …", .library),
      ("Failed to parse `Content-Length' header. Closing connection.\n", nil),
      ("Too large value of 'Content-Length' header. Closing connection.\n", nil),
      ("Not enough memory in pool to parse cookies!\n", nil),
      ("Connection was closed by remote side with incomplete request.\n", nil),
      ("Socket has been disconnected when reading request.\n", nil),
      ("Failed to send data in request for `/secret'.\n", nil),
      ("Error accepting connection: Software caused connection abort\n", .accept),
      ("Hit process or system resource limit at 7 connections, temporarily suspending…", .accept),
      ("Call to epoll_wait failed: Bad file descriptor\n", .library),
      ("Something that a later version says\n", nil),
    ] as [(String, RejectionKind?)]
  )
  func `counts libmicrohttpd messages except those about a single connection`(
    _ message: String, _ kind: RejectionKind?
  ) {
    #expect(LibraryMessage(message).kind == kind)
  }

  @Test func `removes paths and line breaks from libmicrohttpd messages`() {
    let message = LibraryMessage("Failed to send for the request for `/secret'. Error: no\n")
    #expect(message.text == "Failed to send for the request for a path. Error: no")
  }
}
