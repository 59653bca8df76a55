internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import Logging
internal import MailingList
internal import Security

/// The check of a request's key.
///
/// A valid key always passes, regardless of earlier requests. Wrong keys are limited for each
/// client, so guessing does not overload the log or the processor.
final class KeyGate: Sendable {
  private let keys: any KeyStore
  private let known: KnownKeys
  private let metrics: KeyMetrics
  /// The wrong keys that get the usual response: ten at once, then one every six seconds.
  ///
  /// A client is an IPv4 address or an IPv6 /64, including this machine.
  private let failures = Lock(LeakyBucketTable(count: 10, per: .seconds(60)))
  private let uses = KeyUses()
  private let scheduler: any Scheduler
  private let logger: Logger
  /// The lines in the log, which any client can cause: one a minute about each subject.
  private let lines = Lock(LeakyBucketTable(count: 1, per: .seconds(60)))
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    keys = dependencies.keys
    known = KnownKeys(keys, on: dependencies.scheduler, now: dependencies.now)
    metrics = KeyMetrics(dependencies.registry)
    scheduler = dependencies.scheduler
    logger = dependencies.logger
    now = dependencies.now
  }

  /// The check of one key.
  private struct Attempt: Sendable {
    let request: Request
    let scopes: [KeyScope]
    /// Whether a person has typed the key into the board's form, so that a browser sends it.
    let isTyped: Bool
    /// Called with the id of a valid key that has the scopes, on any thread.
    let admit: @Sendable (String) -> Void
    /// Called with the problem of any other key, on any thread.
    let reject: @Sendable (ProblemDetails) -> Void
  }

  /// Continues with a request that has a valid key with all scopes, and responds to any other.
  ///
  /// `admitted` is called with the id of the key, on any thread.
  func authorize(
    _ exchange: Exchange, for scopes: [KeyScope], _ admitted: @escaping @Sendable (String) -> Void
  ) {
    guard let text = exchange.request.bearerToken else {
      metrics.count(.missing)
      exchange.respond(.unauthorized(.noKey))
      return
    }
    check(
      text,
      Attempt(
        request: exchange.request, scopes: scopes, isTyped: false, admit: admitted,
        reject: { exchange.respond($0) }))
  }

  /// Checks a key that was typed into the board's form.
  ///
  /// One of the two functions is called, on any thread.
  func logIn(
    _ request: Request, with text: String, _ admitted: @escaping @Sendable (String) -> Void,
    rejected: @escaping @Sendable (ProblemDetails) -> Void
  ) {
    check(
      text[...],
      Attempt(request: request, scopes: [.board], isTyped: true, admit: admitted, reject: rejected))
  }

  /// Checks whether the key of a session is still valid; fails if that is not known.
  func allows(_ session: SessionToken) -> Signal<Bool, StoreError> {
    known.key(of: session).map { [now] key in
      guard let key else { return false }
      return key.status(at: now()) == .valid && key.scopes.contains(.board)
    }
  }

  private func check(_ text: Substring, _ attempt: Attempt) {
    do throws(APIKeyError) {
      let key = try APIKey(text)
      known.key(for: key).subscribe(
        next: { stored in self.decide(key, stored, attempt) },
        failed: { _ in attempt.reject(.storageUnavailable) })
    } catch {
      switch error {
      case .malformed, .example: reject(attempt, .unknown)
      case .incomplete: reject(attempt, .incomplete)
      }
    }
  }

  private func decide(_ key: APIKey, _ stored: StoredKey?, _ attempt: Attempt) {
    let isKnown = key.matches(stored?.hash)
    guard isKnown, let stored else { return reject(attempt, .unknown) }
    switch stored.status(at: now()) {
    case .revoked: return reject(attempt, .revoked, of: stored)
    case .expired: return reject(attempt, .expired, of: stored)
    case .valid: break
    }
    if !attempt.isTyped, attempt.request.isFromBrowser { return rejectPage(attempt, stored) }
    record(attempt.request, of: stored)
    if let scope = attempt.scopes.first(where: { !stored.scopes.contains($0) }) {
      metrics.count(.scope)
      attempt.reject(.insufficientScope(scope.rawValue))
      return
    }
    attempt.admit(stored.id)
  }

  /// Rejects a wrong key, and counts it against its client.
  ///
  /// `stored` is the key if the client knows its secret; its id is logged.
  private func reject(_ attempt: Attempt, _ cause: KeyMetrics.Cause, of stored: StoredKey? = nil) {
    metrics.count(cause)
    let time = now()
    var subject = cause.rawValue
    var metadata: Logger.Metadata = ["cause": "\(cause)"]
    if let stored {
      subject += " \(stored.id)"
      metadata["key"] = "\(stored.id)"
    }
    if isLogged(subject, at: time) { logger.info("a key was rejected", metadata: metadata) }
    let wait = failures.withLock {
      $0.take(attempt.request.client.limitKey, at: time.millisecondsSince1970).wait
    }
    if wait > 0 {
      attempt.reject(.tooManyFailures(secondsToWait: Int((wait - 1) / 1000) + 1))
    } else if !attempt.isTyped, attempt.request.isFromBrowser {
      attempt.reject(.keyInBrowser)
    } else {
      attempt.reject(.unauthorized(cause == .incomplete ? .incompleteKey : .invalidKey))
    }
  }

  /// Rejects a valid key that a page has sent, and stores the origin of the page.
  ///
  /// The key remains valid: otherwise one careless test in a browser would stop production.
  private func rejectPage(_ attempt: Attempt, _ stored: StoredKey) {
    metrics.count(.browser)
    let origin = attempt.request.pageOrigin ?? "unknown"
    if isLogged(stored.id, at: now()) {
      logger.warning(
        "a page in a browser used a key; revoke it, and use keys only on servers",
        metadata: ["key": "\(stored.id)", "origin": "\(origin)"])
    }
    record(attempt.request, of: stored, origin: origin)
    attempt.reject(.keyInBrowser)
  }

  /// Logs a request if it is the preflight of a request with a key (Fetch Standard §3.3.6).
  ///
  /// A page that contains a key usually fails at the preflight, because this listener has no route
  /// for it.
  func logPreflight(_ request: Request) {
    guard request.method == .options,
      request.fields.list(.requestedHeaders, contains: "authorization"),
      isLogged("preflight", at: now())
    else { return }
    logger.warning(
      "a page in a browser wants to use a key; keys belong on servers only",
      metadata: ["origin": "\(request.pageOrigin ?? "unknown")"])
  }

  /// Returns whether an event is logged, and counts its line.
  private func isLogged(_ subject: String, at now: Timestamp) -> Bool {
    lines.withLock { $0.take(subject, at: now.millisecondsSince1970).wait == 0 }
  }

  /// Stores the use of a key, at most once a minute.
  private func record(_ request: Request, of stored: StoredKey, origin: String? = nil) {
    let time = now()
    let use = KeyUse(of: stored.id, at: time, from: request.client.networkText, origin: origin)
    switch uses.add(use, of: stored, at: time) {
    case .store(let use): record(use)
    case .wait(let delay):
      scheduler.schedule(after: delay) { [weak self] in
        guard let self, let use = uses.take(stored.id, at: now()) else { return }
        record(use)
      }
    case .nothing: break
    }
  }

  private func record(_ use: KeyUse) {
    // A failure to store the use does not reject the request.
    keys.record(use).subscribe()
  }
}

extension Request {
  /// The key in `Authorization: Bearer KEY` (RFC 6750 §2.1); `nil` without one.
  ///
  /// Several fields count as none, because a proxy in front may have checked a different one.
  fileprivate var bearerToken: Substring? {
    guard fields.count(of: .authorization) == 1, let value = fields.first(.authorization) else {
      return nil
    }
    let parts = value.split { $0 == " " || $0 == "\t" }
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return parts[1]
  }

  /// Whether a page in a browser has sent the request.
  ///
  /// Browsers add `Sec-Fetch-Site`, which is `none` when a person has entered the address.
  fileprivate var isFromBrowser: Bool {
    fields.first(.origin) != nil || fields.first(.secFetchSite).map { $0 != "none" } ?? false
  }

  /// The origin of the page that has sent the request, if it is well-formed.
  fileprivate var pageOrigin: String? {
    fields.first(.origin).flatMap { WebOrigin($0) == nil ? nil : $0 }
  }
}

extension ClientAddress {
  /// The network of the client as it is stored with a key; `nil` for a Unix socket.
  fileprivate var networkText: String? {
    network.text.map { $0.contains(":") ? "\($0)/48" : "\($0)/24" }
  }
}
