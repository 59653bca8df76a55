/// An open stream of a transport: its state, and the connection to which its bytes are written.
///
/// All functions are called on the thread of the connection.
protocol OpenStream: SendableMetatype {
  var state: StreamState { get set }

  /// Sends what is pending, as far as the connection accepts it, or makes libmicrohttpd ask for it.
  mutating func flush(at now: Duration) -> StreamState.Progress

  /// Closes the connection, and resets it if the client is stalled or could take the close for the
  /// end of the stream.
  ///
  /// - Returns: Whether it is closed; if not, libmicrohttpd closes it and then removes the stream.
  func disconnect() -> Bool
}
