internal import CMicrohttpd
internal import HTTPSignals
internal import Signals

/// A response in the form that libmicrohttpd sends.
///
/// The corresponding C type is `struct MHD_Response`. The creator of a response calls ``destroy()``
/// once, after queueing it; libmicrohttpd retains it until it is sent.
struct MHDResponse {
  private let pointer: OpaquePointer

  /// Converts a response, without its header fields; `nil` if there is not enough memory.
  static func make(
    _ response: Response, isHead: Bool, stream makeStream: (EventStream) -> MHDResponse?
  ) -> MHDResponse? {
    switch response.body {
    case .none:
      return MHDResponse(MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT))
    case .bytes(let bytes):
      return make(copying: bytes)
    case .events(let stream) where isHead:
      stream.source?.dispose()
      return makeHeadOfStream()
    case .events(let stream):
      return makeStream(stream)
    }
  }

  /// Creates a response whose content libmicrohttpd reads from callbacks, in parts of at most
  /// `partBytes`.
  ///
  /// Returns `nil` if there is not enough memory. The corresponding C function is
  /// `MHD_create_response_from_callback`.
  init?(
    partBytes: Int, reader: MHD_ContentReaderCallback, closure: UnsafeMutableRawPointer?,
    free: MHD_ContentReaderFreeCallback?
  ) {
    self.init(MHD_create_response_from_callback(.max, partBytes, reader, closure, free))
  }

  private static func make(copying bytes: [UInt8]) -> MHDResponse? {
    MHDResponse(
      bytes.withUnsafeBytes { bytes in
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
    )
  }

  /// Creates a response that is only the head of a stream, without a length, which is not known.
  ///
  /// libmicrohttpd would send the last chunk after it, but a response to HEAD must not have content
  /// (RFC 9110 §9.3.2). So a flag makes it close the connection and use no chunks.
  private static func makeHeadOfStream() -> MHDResponse? {
    let made = MHDResponse(partBytes: 2048, reader: noReader, closure: nil, free: nil)
    made?.endWithClose()
    return made
  }

  private init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  /// Makes the close of the connection the only mark of the end, without chunks.
  func endWithClose() {
    cmicrohttpd_set_flags(pointer, .RF_HTTP_1_0_COMPATIBLE_STRICT)
  }

  /// Adds a header field; the corresponding C function is `MHD_add_response_header`.
  ///
  /// - Returns: Whether libmicrohttpd has accepted it; `false` for a field with a line break or
  ///   without a value.
  func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Bool {
    MHD_add_response_header(pointer, name, value) == .YES
  }

  func add(literal name: StaticString, _ value: StaticString) {
    // The bytes of a literal end with a NUL. Swift would copy a `String` that is passed to C.
    _ = add(
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self))
  }

  /// Queues the response; the corresponding C function is `MHD_queue_response`.
  func queue(on connection: OpaquePointer, status: Int) -> MHD_Result {
    MHD_queue_response(connection, UInt32(status), pointer)
  }

  /// Releases the response; the corresponding C function is `MHD_destroy_response`.
  func destroy() {
    MHD_destroy_response(pointer)
  }
}

/// Ends the content of a response to HEAD, which is empty (`MHD_ContentReaderCallback`).
private let noReader: MHD_ContentReaderCallback = { _, _, _, _ in MHD_CONTENT_READER_END_OF_STREAM }
