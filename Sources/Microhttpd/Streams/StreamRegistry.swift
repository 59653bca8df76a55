internal import HTTPSignals
internal import Signals

/// The event streams of one event loop: it admits them, chooses their transport, and drains them.
// Used on the loop's thread only.
final class StreamRegistry {
  private let transports: [any EventStreamTransport]
  private let admission: StreamAdmission
  private let rejections: RejectionLog
  private var isDraining = false

  /// Creates a registry; the transports are in order of preference, and the last one can serve any
  /// connection.
  init(
    _ transports: [any EventStreamTransport], admission: StreamAdmission, rejections: RejectionLog
  ) {
    self.transports = transports
    self.admission = admission
    self.rejections = rejections
  }

  enum Admission {
    /// The stream is admitted and belongs to this transport.
    case admitted(any EventStreamTransport)
    /// The stream is rejected, because a limit is reached.
    case tooMany
    /// The stream is rejected, because the service is draining.
    case draining
    /// The stream is rejected; send this content instead, which defines when the client reconnects.
    case deferred([UInt8])
  }

  /// Admits a stream, unless a limit is reached or the service is draining.
  ///
  /// The source of a stream that is not admitted is disposed of.
  func admit(_ request: StreamRequest, on connection: OpaquePointer) -> Admission {
    if !isDraining, let transport = transports.first(where: { $0.canServe(connection) }),
      admission.enter(request.client, transport.kind)
    {
      return .admitted(transport)
    }
    request.stream.source?.dispose()
    if !isDraining { rejections.count(.stream) }
    guard request.isEventSource else {
      return isDraining ? .draining : .tooMany
    }
    // An error status would permanently stop a browser's EventSource; this makes it retry later.
    return .deferred(EventStream.busyContent)
  }

  /// Stops admitting streams, and ends the open ones at random moments within a time.
  func drain(within time: Duration) {
    isDraining = true
    for transport in transports { transport.drain(within: time) }
  }

  /// Stops admitting streams, and ends the open ones now.
  func endAll() {
    isDraining = true
    for transport in transports { transport.endAll() }
  }
}
