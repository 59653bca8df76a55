internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList
internal import Secrets
internal import Signals

/// The check of a request's key.
///
/// A valid key always passes, regardless of earlier requests. Wrong keys are limited for each
/// client, so guessing does not overload the log or the processor.
final class KeyGate: Sendable {
  private let keys: any KeyStore
  private let known: KnownKeys
  private let unavailable: ProblemDetails
  private let metrics: KeyMetrics
  private let failures = KeyFailures()
  private let uses = KeyUses()
  private let scheduler: any Scheduler
  private let log: LimitedLog
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies) {
    keys = dependencies.keys
    known = KnownKeys(keys, on: dependencies.scheduler, now: dependencies.now)
    unavailable = dependencies.shared.unavailable
    metrics = KeyMetrics(dependencies.registry)
    scheduler = dependencies.scheduler
    log = LimitedLog(dependencies.logger)
    now = dependencies.now
  }

  /// Continues with a request that has a valid key with all scopes, and responds to any other.
  ///
  /// `admitted` is called with the id of the key, on any thread.
  func authorize(
    _ exchange: Exchange,
    for scopes: [KeyScope],
    _ admitted: @escaping @Sendable (String) -> Void
  ) {
    guard let text = exchange.request.bearerToken else {
      metrics.count(.missing)
      exchange.respond(.unauthorized(.noKey))
      return
    }
    do throws(APIKeyError) {
      let key = try APIKey(text)
      known.key(for: key).subscribe(
        next: { stored in self.decide(exchange, key, stored, scopes, admitted) },
        failed: { _ in exchange.respond(self.unavailable) }
      )
    } catch {
      switch error {
      case .malformed, .example: reject(exchange, .unknown)
      case .incomplete: reject(exchange, .incomplete)
      }
    }
  }

  private func decide(
    _ exchange: Exchange,
    _ key: APIKey,
    _ stored: StoredKey?,
    _ scopes: [KeyScope],
    _ admitted: @Sendable (String) -> Void
  ) {
    let isKnown = key.matches(stored?.hash)
    guard isKnown, let stored else { return reject(exchange, .unknown) }
    switch stored.status(at: now()) {
    case .revoked: return reject(exchange, .revoked, of: stored)
    case .expired: return reject(exchange, .expired, of: stored)
    case .valid: break
    }
    guard !exchange.request.isFromBrowser else { return rejectPage(exchange, stored) }
    record(exchange.request, of: stored)
    if let scope = scopes.first(where: { !stored.scopes.contains($0) }) {
      metrics.count(.scope)
      exchange.respond(.insufficientScope(scope.rawValue))
      return
    }
    admitted(stored.id)
  }

  /// Rejects a wrong key, and counts it against its client.
  ///
  /// `stored` is the key if the client knows its secret; its id is logged.
  private func reject(_ exchange: Exchange, _ cause: KeyMetrics.Cause, of stored: StoredKey? = nil)
  {
    metrics.count(cause)
    let time = now()
    var subject = cause.rawValue
    var metadata: Logger.Metadata = ["cause": "\(cause)"]
    if let stored {
      subject += " \(stored.id)"
      metadata["key"] = "\(stored.id)"
    }
    log.log(.info, "a key was rejected", about: subject, metadata, at: time)
    if let seconds = failures.add(exchange.request.client, at: time) {
      exchange.respond(.tooManyFailures(secondsToWait: seconds))
    } else if exchange.request.isFromBrowser {
      exchange.respond(.keyInBrowser)
    } else {
      exchange.respond(.unauthorized(cause == .incomplete ? .incompleteKey : .invalidKey))
    }
  }

  /// Rejects a valid key that a page has sent, and stores the origin of the page.
  ///
  /// The key remains valid: otherwise one careless test in a browser would stop production.
  private func rejectPage(_ exchange: Exchange, _ stored: StoredKey) {
    metrics.count(.browser)
    let origin = exchange.request.pageOrigin ?? "unknown"
    log.log(
      .warning,
      "a page in a browser used a key; revoke it, and use keys only on servers",
      about: stored.id,
      ["key": "\(stored.id)", "origin": "\(origin)"],
      at: now()
    )
    record(exchange.request, of: stored, origin: origin)
    exchange.respond(.keyInBrowser)
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
    let parts = value.split(separator: " ", maxSplits: 1)
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
  var pageOrigin: String? {
    fields.first(.origin).flatMap { WebOrigin($0) == nil ? nil : $0 }
  }
}

extension ClientAddress {
  /// The network of the client as it is stored with a key; `nil` for a Unix socket.
  fileprivate var networkText: String? {
    network.text.map { $0.contains(":") ? "\($0)/48" : "\($0)/24" }
  }
}
