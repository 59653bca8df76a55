internal import HTTPSignals
internal import Signals

/// The open requests of one event loop, and their shared resources.
// @unchecked Sendable because mutable state is used on the loop's thread only.
final class RequestHost: @unchecked Sendable {
  let loop: EventLoop
  let limits: RequestLimits
  let connections: ConnectionTable
  let streams: StreamLoop
  let admission: StreamAdmission
  let bodyBudget: BodyBudget
  let trustedProxies: TrustedProxies
  let responsePolicy: any ResponsePolicy
  let rejections: RejectionLog
  /// `nil` if requests are not logged.
  let requestLog: RequestLog?
  let isSecure: Bool
  let exchanges = Subject<Exchange, Never>()

  /// The suspended requests, each at its own `index`.
  private var suspendedRequests: [RequestInProgress] = []
  private var openCount = 0
  /// Whether the service is draining, so that every response is the last of its connection.
  private(set) var isDraining = false
  /// Whether the daemon is closing its connections, so that none may be suspended from now on.
  private(set) var isStopping = false
  private var whenIdle: (@Sendable () -> Void)?

  init(_ shared: SharedResources, _ loop: EventLoop, connections: ConnectionTable) {
    self.loop = loop
    self.connections = connections
    streams = shared.streams
    admission = shared.admission
    limits = shared.options.requests
    bodyBudget = shared.bodyBudget
    trustedProxies = shared.options.trustedProxies
    responsePolicy = shared.options.responsePolicy
    rejections = shared.rejections
    requestLog = shared.requestLog
    isSecure = shared.tlsAcceptor != nil
  }

  // MARK: Requests

  /// Whether a request is being received or a response sent; a suspended request is neither.
  var isServing: Bool { openCount > suspendedRequests.count }

  func opened(_ request: RequestInProgress) {
    openCount += 1
  }

  func closed(_ request: RequestInProgress) {
    openCount -= 1
    callWhenIdle()
  }

  func suspended(_ request: RequestInProgress) {
    request.index = suspendedRequests.count
    suspendedRequests.append(request)
  }

  /// Removes a request that is about to be resumed.
  func resumed(_ request: RequestInProgress) {
    guard let last = suspendedRequests.popLast(), last !== request else { return }
    suspendedRequests[request.index] = last
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
  ///   - whenIdle: Called on the loop's thread; it replaces the callback of the drain.
  func stop(isOutcomeKnown: Bool, _ whenIdle: @escaping @Sendable () -> Void) {
    isStopping = true
    for request in suspendedRequests { request.giveUp(isOutcomeKnown: isOutcomeKnown) }
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
