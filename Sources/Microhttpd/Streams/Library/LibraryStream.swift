internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Platform

/// An open stream that is written through libmicrohttpd's documented API, because its socket
/// cannot be taken over.
///
/// libmicrohttpd reads the content when the socket accepts bytes. If there is nothing to send, the
/// connection is suspended until an event, a heartbeat or the end of the stream resumes it. So the
/// stream is blocked exactly while libmicrohttpd owns the connection.
// Used on the loop's thread only.
final class LibraryStream: StreamContent, OpenStream {
  var state: StreamState
  private let connection: OpaquePointer
  private let streams: OpenStreams<LibraryStream>

  init(_ state: StreamState, on connection: OpaquePointer, in streams: OpenStreams<LibraryStream>) {
    self.state = state
    self.connection = connection
    self.streams = streams
    self.state.blockedSince = streams.loop.now
  }

  private var descriptor: Int32 { cmicrohttpd_descriptor(connection) }

  override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let now = streams.loop.now
    var count = 0
    // libmicrohttpd makes the chunks. A frame fits the buffer, so a chunk has whole blocks.
    let progress = state.send(at: now, framing: .untilClose, maximumBytes: buffer.count) { bytes in
      let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(buffer.count))
      buffer.copyMemory(from: part)
      count = part.count
      return .bytes(count)
    }
    switch progress {
    case .caughtUp: MHD_suspend_connection(connection)
    case .more, .blocked: state.blockedSince = now
    case .over:
      state.blockedSince = now
      setResetsOnClose(false, of: descriptor)
      return MHD_CONTENT_READER_END_OF_STREAM
    }
    return count
  }

  /// Resumes the connection if it is suspended, so that libmicrohttpd reads the content again.
  func flush(at now: Duration) -> StreamState.Progress {
    guard !state.isBlocked else { return .blocked }
    state.blockedSince = now
    MHD_resume_connection(connection)
    return .blocked
  }

  /// Resets the connection of a stalled client; libmicrohttpd notices the end and closes it.
  func disconnect() -> Bool {
    guard state.endReason == .stalled else { return false }
    setResetsOnClose(true, of: descriptor)
    shutdown(descriptor, Int32(SHUT_RDWR))
    return false
  }

  /// Removes the stream, because libmicrohttpd has released it.
  override func close() {
    streams.remove(state.index)
  }
}
