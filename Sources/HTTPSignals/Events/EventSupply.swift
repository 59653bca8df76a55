/// The events that the source of a stream has for its client.
package enum EventSupply: Sendable {
  case events([ServerSentEvent])
  /// Nothing yet; the source is asked again after a time.
  case later(Duration)
  /// Nothing any more; the stream ends.
  case end
}
