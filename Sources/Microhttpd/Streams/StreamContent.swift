internal import CMicrohttpd

/// The content of the response that opens a stream; libmicrohttpd reads it in parts.
class StreamContent {
  /// Reads the next bytes into a buffer; called when the socket accepts bytes.
  ///
  /// - Returns: The number of bytes, 0 if the connection was suspended, or a constant of
  ///   libmicrohttpd.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { MHD_CONTENT_READER_END_WITH_ERROR }

  /// Releases the stream; called once, after the last read.
  func close() {}

  /// Creates the response, which libmicrohttpd reads in parts of at most `partBytes`.
  ///
  /// - Returns: `nil` if there is not enough memory, in which case the content is closed.
  final func makeResponse(framing: StreamFraming, partBytes: Int) -> MHDResponse? {
    // C owns the content from here on; `contentFreeHandler` releases it.
    let closure = Unmanaged.passRetained(self)
    let made = MHDResponse(
      partBytes: partBytes, reader: contentReader, closure: closure.toOpaque(),
      free: contentFreeHandler)
    guard let made else {
      closure.takeRetainedValue().close()
      return nil
    }
    switch framing {
    case .chunked: break
    case .untilClose: made.endWithClose()
    }
    return made
  }
}

/// Reads the next bytes of a content (`MHD_ContentReaderCallback`).
private let contentReader: MHD_ContentReaderCallback = { closure, _, buffer, size in
  guard let closure, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
  let content = Unmanaged<StreamContent>.fromOpaque(closure).takeUnretainedValue()
  return content.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

/// Releases a content (`MHD_ContentReaderFreeCallback`).
private let contentFreeHandler: MHD_ContentReaderFreeCallback = { closure in
  guard let closure else { return }
  // Balances `passRetained` in `makeResponse(framing:partBytes:)`.
  Unmanaged<StreamContent>.fromOpaque(closure).takeRetainedValue().close()
}
