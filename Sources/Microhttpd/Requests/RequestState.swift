/// The progress of a request, from its head to its end.
///
/// The machine only decides: each event changes the state and returns the effect that
/// ``PendingRequest`` carries out. It contains libmicrohttpd's rules: a response is queued only in
/// certain calls of the access handler, a connection is suspended only there, and each suspension
/// is followed by exactly one resume.
enum RequestState: CaseIterable, Sendable {
  /// The content is arriving.
  case receiving
  /// The request is complete and suspended: too many exchanges of its connection are in flight.
  case postponed
  /// The exchange has been dispatched and has no response yet.
  case dispatched
  /// As `dispatched`, with the connection suspended: exactly one resume is due.
  case parked
  /// The response has arrived and waits for the next call of the access handler.
  case responded
  /// No response will be sent: the next call of the access handler closes the connection.
  case abandoned
  /// libmicrohttpd owns the response.
  case queued
  /// The connection has finished with the request.
  case completed

  /// An event in the life of a request; all events happen on the loop's thread.
  enum Event: Hashable, Sendable {
    /// The head has arrived and is valid.
    case head
    /// The head has arrived, and the daemon rejects the request.
    case rejection
    case part
    /// libmicrohttpd asks for the response: after the content, and again after each resume.
    case end
    /// The exchange was counted, and its connection is within its limit.
    case admission
    /// The connection has as many exchanges in flight as it may have.
    case limit(isStopping: Bool)
    /// The exchange was sent to the service, which may have responded already.
    case dispatched(isStopping: Bool)
    /// A response has arrived.
    case response
    /// An exchange of the connection was released.
    case release
    /// The drain is over.
    ///
    /// If work that a request has started may still be running, its outcome is not known, and 503
    /// would promise that nothing was stored.
    case drainEnd(isOutcomeKnown: Bool)
    /// libmicrohttpd has finished with the request, or the connection has ended.
    case completion
  }

  enum Effect: Hashable, Sendable {
    /// Let the content arrive.
    case read
    /// Append the part of the content.
    case append
    /// Count the exchange on its connection, and report `admission` or `limit`.
    case count
    /// Send the exchange to the service, and report `dispatched`.
    case dispatch
    /// Suspend the connection until an exchange of it is released.
    case postpone
    /// Suspend the connection until the response arrives.
    case suspend
    /// Store the response for the next call of the access handler.
    case keep
    /// Resume the connection, and store the response if one has arrived.
    case resume
    /// Queue the response.
    case queue
    /// Queue the problem that the service is draining.
    case queueDraining
    /// Report a `response`: the problem that the service is draining.
    case respondDraining
    /// Release the resources of the request.
    case finish
    case ignore
    case close
  }

  mutating func handle(_ event: Event) -> Effect {
    switch event {
    case .head:
      switch self {
      case .receiving: return .read
      case .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .close
      }
    case .rejection:
      switch self {
      case .receiving: return move(to: .queued, .queue)
      case .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .close
      }
    case .part:
      switch self {
      case .receiving: return .append
      case .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .ignore
      }
    case .end:
      switch self {
      case .receiving: return .count
      case .responded: return move(to: .queued, .queue)
      case .postponed, .dispatched, .parked, .abandoned, .queued, .completed: return .close
      }
    case .admission:
      switch self {
      case .receiving: return move(to: .dispatched, .dispatch)
      case .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .close
      }
    case .limit(let isStopping):
      switch self {
      case .receiving where isStopping: return move(to: .queued, .queueDraining)
      case .receiving: return move(to: .postponed, .postpone)
      case .postponed, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .close
      }
    case .dispatched(let isStopping):
      switch self {
      case .responded: return move(to: .queued, .queue)
      // The drain is over: do not wait for the service any longer.
      case .dispatched where isStopping: return move(to: .queued, .queueDraining)
      case .dispatched: return move(to: .parked, .suspend)
      case .receiving, .postponed, .parked, .abandoned, .queued, .completed: return .close
      }
    case .response:
      switch self {
      case .dispatched: return move(to: .responded, .keep)
      case .postponed, .parked: return move(to: .responded, .resume)
      case .receiving, .responded, .abandoned, .queued, .completed: return .ignore
      }
    case .release:
      switch self {
      case .postponed: return move(to: .receiving, .resume)
      case .receiving, .dispatched, .parked, .responded, .abandoned, .queued, .completed:
        return .ignore
      }
    case .drainEnd(let isOutcomeKnown):
      switch self {
      case .parked where !isOutcomeKnown: return move(to: .abandoned, .resume)
      case .postponed, .dispatched, .parked: return .respondDraining
      case .receiving, .responded, .abandoned, .queued, .completed: return .ignore
      }
    case .completion:
      switch self {
      case .receiving, .postponed, .dispatched, .parked, .responded, .abandoned, .queued:
        return move(to: .completed, .finish)
      case .completed: return .ignore
      }
    }
  }

  private mutating func move(to state: RequestState, _ effect: Effect) -> Effect {
    self = state
    return effect
  }
}
