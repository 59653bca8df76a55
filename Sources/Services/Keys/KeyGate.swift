internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import Logging
internal import MailingList
internal import Platform
internal import Security

/// The check of a request's key.
///
/// A valid key that was read before always passes, regardless of earlier requests. Wrong keys are
/// limited for each client, so guessing does not overload the log, the store or the processor. Until
/// a key has been read, it can be a wrong one, so it waits like one.
final class KeyGate: Sendable {
  /// The reason in the metrics why a request was rejected.
  private enum Cause: String, CaseIterable {
    /// The request has no key.
    case missing
    /// The checksum is wrong.
    case incomplete
    /// The store has no such key, or was not asked, because the client must wait.
    case unknown
    case revoked
    case expired
    /// The key does not have the scope.
    case scope
    /// A page in a browser sent the key.
    case browser
  }

  /// A request with a key.
  private struct Attempt: Sendable {
    let request: Request
    /// Whether a page in a browser has sent the key.
    let isFromPage: Bool
    let scopes: [KeyScope]
  }

  private let known: KnownKeys
  private let uses: KeyUses
  private let rejections: CounterFamily<Cause>
  /// The wrong keys that get the usual response: ten at once, then one every six seconds.
  ///
  /// A client is an IPv4 address or an IPv6 /64, including this machine.
  private let failures = Lock(LeakyBucketTable(count: 10, per: .seconds(60)))
  private let logger: Logger
  /// The lines in the log, which any client can cause: one a minute about each subject.
  private let lines = Lock(LeakyBucketTable(count: 1, per: .seconds(60)))
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: Dependencies, on scheduler: any Scheduler) {
    known = KnownKeys(dependencies.store, on: scheduler, now: dependencies.now)
    uses = KeyUses(dependencies.store, on: scheduler, now: dependencies.now)
    rejections = CounterFamily("enlist_key_failures_total", by: "cause", dependencies.metrics)
    logger = dependencies.logger
    now = dependencies.now
  }

  /// Sends the id of the request's key if it is valid and has all scopes, or fails with the problem
  /// to respond with, on any thread.
  func authorize(_ request: Request, for scopes: [KeyScope]) -> Signal<String, ProblemDetails> {
    guard let text = request.bearerToken else {
      rejections.count(.missing)
      return .fail(.unauthorized(.noKey))
    }
    let isFromPage = request.isFromBrowser
    return check(text, Attempt(request: request, isFromPage: isFromPage, scopes: scopes))
  }

  /// Checks a key that a person has typed into the board's form, like ``authorize(_:for:)``.
  func logIn(_ request: Request, with text: String) -> Signal<String, ProblemDetails> {
    check(text[...], Attempt(request: request, isFromPage: false, scopes: [.board]))
  }

  /// Checks whether the key of a session is still valid; fails if that is not known.
  func allows(_ session: SessionToken) -> Signal<Bool, StoreError> {
    known.key(of: session).map { [now] key in
      guard let key else { return false }
      return key.status(at: now()) == .valid && key.scopes.contains(.board)
    }
  }

  private func check(_ text: Substring, _ attempt: Attempt) -> Signal<String, ProblemDetails> {
    let time = now()
    do throws(APIKeyError) {
      let key = try APIKey(text)
      if !known.contains(key), mustWait(attempt.request.client, at: time) {
        return .fail(rejection(of: attempt, .unknown, at: time))
      }
      return known.key(for: key).mapError { _ in ProblemDetails.storageUnavailable }
        .tryMap { [self] stored throws(ProblemDetails) in try admit(key, stored, attempt) }
    } catch {
      switch error {
      case .malformed, .example: return .fail(rejection(of: attempt, .unknown, at: time))
      case .incomplete: return .fail(rejection(of: attempt, .incomplete, at: time))
      }
    }
  }

  /// Returns whether a client has sent too many wrong keys.
  private func mustWait(_ client: ClientAddress, at time: Timestamp) -> Bool {
    failures.withLock { $0.lookUp(client.limitKey, at: time.millisecondsSince1970).wait > 0 }
  }

  /// Returns the id of a valid key that has the scopes, and records its use.
  private func admit(
    _ key: APIKey, _ stored: StoredKey?, _ attempt: Attempt
  ) throws(ProblemDetails) -> String {
    let time = now()
    let isKnown = key.matches(stored?.hash)
    guard isKnown, let stored else { throw rejection(of: attempt, .unknown, at: time) }
    switch stored.status(at: time) {
    case .revoked: throw rejection(of: attempt, .revoked, stored, at: time)
    case .expired: throw rejection(of: attempt, .expired, stored, at: time)
    case .valid: break
    }
    // The key of a page remains valid: otherwise one careless test in a browser would stop
    // production.
    let origin = attempt.isFromPage ? attempt.request.pageOrigin ?? "unknown" : nil
    let network = attempt.request.client.networkText
    uses.add(KeyUse(of: stored.id, at: time, from: network, origin: origin), of: stored)
    if let origin {
      rejections.count(.browser)
      if isLogged(stored.id, at: time) {
        logger.warning(
          "a page in a browser used a key; revoke it, and use keys only on servers",
          metadata: ["key": "\(stored.id)", "origin": "\(origin)"])
      }
      throw ProblemDetails(KeyProblem.keyInBrowser)
    }
    if let scope = attempt.scopes.first(where: { !stored.scopes.contains($0) }) {
      rejections.count(.scope)
      throw .insufficientScope(scope.rawValue)
    }
    return stored.id
  }

  /// Counts a wrong key against its client, and returns the problem.
  ///
  /// `stored` is the key if the client knows its secret; its id is logged.
  private func rejection(
    of attempt: Attempt, _ cause: Cause, _ stored: StoredKey? = nil, at time: Timestamp
  ) -> ProblemDetails {
    rejections.count(cause)
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
    if wait > 0 { return .tooManyFailures(secondsToWait: Int((wait - 1) / 1000) + 1) }
    if attempt.isFromPage { return ProblemDetails(KeyProblem.keyInBrowser) }
    return .unauthorized(cause == .incomplete ? .incompleteKey : .invalidKey)
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

/// The uses of keys, of which each key's are stored at most once within a minute.
///
/// Several networks and pages may use a key in turn. Of the uses within a minute, the first is
/// stored immediately, and the newest at the end of the minute.
// Only existing keys have an entry, so the operator bounds their number.
final class KeyUses: Sendable {
  private struct Entry {
    /// The time at which a use was last stored.
    var time: Timestamp?
    /// The newest use since then, which is still to be stored.
    var waiting: KeyUse?
  }

  private static let milliseconds: Int64 = 60_000

  private let list: any ListAccess
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let entries = Lock<[String: Entry]>([:])

  init(
    _ list: any ListAccess, on scheduler: any Scheduler, now: @escaping @Sendable () -> Timestamp
  ) {
    self.list = list
    self.scheduler = scheduler
    self.now = now
  }

  func add(_ use: KeyUse, of key: StoredKey) {
    let now = now()
    let delay: Duration? = entries.withLock { entries in
      if let earlier = entries[use.id]?.waiting {
        // Remember a page even if a program uses the key after it.
        entries[use.id]?.waiting = KeyUse(
          of: use.id, at: use.minute, from: use.network, origin: use.origin ?? earlier.origin)
        return nil
      }
      guard !use.isKnown(to: key) else { return nil }
      entries[use.id, default: Entry()].waiting = use
      guard let last = entries[use.id]?.time else { return .zero }
      let age = now.millisecondsSince1970 - last.millisecondsSince1970
      // The age is negative if the clock was set back.
      guard (0..<Self.milliseconds).contains(age) else { return .zero }
      return .milliseconds(Self.milliseconds - age)
    }
    guard let delay else { return }
    if delay == .zero {
      storeWaiting(use.id)
    } else {
      scheduler.schedule(after: delay) { [weak self] in self?.storeWaiting(use.id) }
    }
  }

  private func storeWaiting(_ id: String) {
    let entry = Entry(time: now())
    let use = entries.withLock { entries in
      defer { entries[id] = entry }
      return entries[id]?.waiting
    }
    guard let use else { return }
    // A failure to store the use does not reject the request.
    list.change { list throws(StoreError) in try list.keyTable.record(use) }.subscribe()
  }
}
