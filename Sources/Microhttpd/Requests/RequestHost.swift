internal import HTTPSignals
internal import Signals

/// The open requests of one event loop, and what they share.
// @unchecked Sendable because mutable state is used on the loop's thread only.
final class RequestHost: @unchecked Sendable {
  /// The loop that handles the requests.
  let loop: EventLoop
  /// The limits of a request.
  let limits: RequestLimits
  /// The connections of the loop.
  let connections: ConnectionTable
  /// The watch on the heads that arrive at the loop.
  let heads: HeadWatch
  /// The event streams of the loop.
  let streams: StreamRegistry
  /// The memory for bodies that arrive in more than one part.
  let bodyBudget: BodyBudget
  /// The reverse proxies that are trusted to name the client of a request.
  let trustedProxies: TrustedProxies
  /// The policy that completes all responses.
  let responsePolicy: any ResponsePolicy
  /// The counts of rejections.
  let rejections: RejectionLog
  /// The log of requests; `nil` if they are not logged.
  let requestLog: RequestLog?
  /// Whether the connections are encrypted.
  let isSecure: Bool
  /// The exchanges of the requests.
  let exchanges = Subject<Exchange, Never>()

  /// The suspended requests, each at its own `index`.
  private var parkedRequests: [PendingRequest] = []
  private var openCount = 0
  /// Whether the service is draining, so that every response is the last of its connection.
  private(set) var isDraining = false
  /// Whether the daemon is closing its connections, so that none may be suspended from now on.
  private(set) var isStopping = false
  private var whenIdle: (@Sendable () -> Void)?

  /// Creates a host without requests.
  init(
    _ shared: SharedResources,
    _ loop: EventLoop,
    connections: ConnectionTable,
    heads: HeadWatch,
    streams: StreamRegistry
  ) {
    self.loop = loop
    self.connections = connections
    self.heads = heads
    self.streams = streams
    limits = shared.requests
    bodyBudget = shared.bodyBudget
    trustedProxies = shared.trustedProxies
    responsePolicy = shared.responsePolicy
    rejections = shared.rejections
    requestLog = shared.requestLog
    isSecure = shared.identity != nil
  }

  // MARK: Requests

  /// Counts a request that has begun.
  func opened(_ request: PendingRequest) {
    openCount += 1
  }

  /// Removes a request that is completed.
  func closed(_ request: PendingRequest) {
    openCount -= 1
    callWhenIdle()
  }

  /// Adds a suspended request.
  func parked(_ request: PendingRequest) {
    request.index = parkedRequests.count
    parkedRequests.append(request)
  }

  /// Removes a request that is about to be resumed.
  func unparked(_ request: PendingRequest) {
    guard let last = parkedRequests.popLast(), last !== request else { return }
    parkedRequests[request.index] = last
    last.index = request.index
  }

  // MARK: Stopping

  /// Makes each response the last of its connection, and calls back when no request is open.
  func drain(_ whenIdle: @escaping @Sendable () -> Void) {
    isDraining = true
    self.whenIdle = whenIdle
    callWhenIdle()
  }

  /// Ends all suspended requests, and calls back when no request is open.
  ///
  /// - Parameters:
  ///   - isOutcomeKnown: Whether requests without a response get 503; otherwise their connections
  ///     are closed.
  ///   - whenIdle: Called on the loop's thread, instead of the callback of the drain.
  func stop(isOutcomeKnown: Bool, _ whenIdle: @escaping @Sendable () -> Void) {
    isStopping = true
    for request in parkedRequests { request.giveUp(isOutcomeKnown: isOutcomeKnown) }
    self.whenIdle = whenIdle
    callWhenIdle()
  }

  /// Calls back now, although requests may be open.
  func becomeIdle() {
    let whenIdle = whenIdle
    self.whenIdle = nil
    whenIdle?()
  }

  private func callWhenIdle() {
    if isDraining, openCount == 0 { becomeIdle() }
  }
}
