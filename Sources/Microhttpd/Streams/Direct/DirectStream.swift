internal import CMicrohttpd
internal import Glibc
internal import HTTPSignals
internal import Signals

/// An open stream that is written directly to its socket.
///
/// libmicrohttpd iterates over all suspended connections whenever it resumes one, and keeps
/// kilobytes for each. Here a stream is an element of an array.
struct DirectStream: OpenStream {
  /// The maximum number of frames per flush, so that a client far behind does not delay the others.
  private static let maximumFramesPerFlush = 4
  /// The maximum number of bytes in one frame; a client that does not read retains one frame.
  private static let maximumFrameBytes = 16 * 1024

  var state: StreamState
  /// The epoll set of the sockets.
  private let epoll: Int32
  /// The data of the socket's events, which distinguish the streams that have used the same index.
  let eventData: UInt64
  private let socket: StreamSocket

  /// Creates a stream, and adds its socket to an epoll set.
  init(_ state: StreamState, on socket: StreamSocket, in epoll: Int32, generation: UInt32) {
    self.state = state
    self.socket = socket
    self.epoll = epoll
    eventData = UInt64(generation) << 32 | UInt64(state.index)
    watch(EPOLL_CTL_ADD)
  }

  mutating func flush(at now: Duration) -> StreamState.Progress {
    let wasBlocked = state.isBlocked
    defer { if state.isBlocked != wasBlocked { watch(EPOLL_CTL_MOD) } }
    for _ in 0..<Self.maximumFramesPerFlush {
      let progress = state.send(
        at: now, framing: state.framing, maximumBytes: Self.maximumFrameBytes
      ) { [socket] in socket.send($0) }
      if progress != .more { return progress }
    }
    return .more
  }

  /// Makes epoll report a client that leaves, and a blocked socket that accepts bytes.
  private func watch(_ operation: Int32) {
    var event = epoll_event()
    event.events = EPOLLRDHUP.rawValue | (state.isBlocked ? EPOLLOUT.rawValue : 0)
    if socket.endsAtInput { event.events |= EPOLLIN.rawValue }
    event.data.u64 = eventData
    epoll_ctl(epoll, operation, socket.descriptor, &event)
  }

  func disconnect() -> Bool {
    epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
    switch state.framing {
    case .chunked where state.endReason != .stalled, .untilClose where state.hasEnded:
      socket.close()
    case .chunked, .untilClose: socket.reset()
    }
    return true
  }
}
