internal import HTTPSignals

/// A writer of event streams to their clients.
///
/// A ``StreamRegistry`` admits a stream and chooses its transport. From then on, the stream belongs
/// to the transport, which disposes of its source and removes it from ``StreamAdmission`` when it
/// ends. All functions are called on the thread of an event loop.
protocol EventStreamTransport: AnyObject {
  /// The kind of the transport, which has a limit of its own.
  var kind: StreamTransport { get }

  /// Returns whether the transport can write a stream on a connection.
  func canServe(_ connection: OpaquePointer) -> Bool

  /// Creates the response that opens an admitted stream.
  ///
  /// - Returns: The response, which the caller destroys; `nil` if there is not enough memory, in
  ///   which case the stream has ended.
  func makeResponse(to request: StreamRequest, on connection: OpaquePointer) -> MHDResponse?

  /// Ends all streams at random moments within a time; calling it again has no effect.
  func drain(within time: Duration)

  /// Ends all streams now, cleanly if their clients read fast enough.
  func endAll()
}
