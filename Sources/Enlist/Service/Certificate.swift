internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import Microhttpd
internal import Security
internal import Signals
internal import Synchronization

/// The certificate of running daemons: it is read again on SIGHUP, and reported before it expires.
///
/// An actor, because the daily check must not restore a certificate that a reload has replaced.
actor Certificate {
  private let settings: Settings
  private let daemons: [Daemon]
  private let notifier: SystemdNotifier?
  private let logger: Logger
  private var identity: TLSIdentity?
  /// For the metrics, in seconds since 1970.
  private nonisolated let expirationTime = Atomic(0)

  init(
    _ identity: TLSIdentity?, of daemons: [Daemon], _ settings: Settings,
    _ notifier: SystemdNotifier?, _ logger: Logger
  ) {
    self.identity = identity
    self.daemons = daemons
    self.settings = settings
    self.notifier = notifier
    self.logger = logger
  }

  /// The time in seconds until the certificate expires, negative afterwards; `nil` without TLS.
  nonisolated var secondsLeft: Double? {
    let time = expirationTime.load(ordering: .relaxed)
    return time == 0 ? nil : Double(time) - Date().timeIntervalSince1970.rounded()
  }

  /// Checks the expiration now and every day, and reloads on each SIGHUP, until the task is canceled.
  nonisolated func upkeep() -> Task<Void, Never> {
    let (hangups, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observing = Signal.unixSignal(SIGHUP).subscribe(next: { _ in continuation.yield() })
    return Task {
      defer { observing.dispose() }
      await report()
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in hangups { await self.reload() } }
        group.addTask {
          while (try? await Task.sleep(for: .seconds(86_400))) != nil { await self.checkDaily() }
        }
      }
    }
  }

  private func reload() {
    notifier?.send(.reloading)
    defer { notifier?.send(.ready) }
    guard identity != nil else {
      logger.info("nothing to reload: --tls-certificate is not set")
      return
    }
    do throws(SettingError) {
      guard let read = try settings.tlsIdentity(), present(read) else {
        logger.error("certificate not reloaded, the old one remains in use: out of memory")
        return
      }
      identity = read
      logger.info("certificate reloaded", metadata: ["expires": "\(read.expirationText)"])
      report()
    } catch {
      logger.error("certificate not reloaded, the old one remains in use: \(error)")
    }
  }

  private func checkDaily() {
    report()
    // Rotates the key for session tickets: with a permanent key, an attacker who steals it could
    // decrypt all recorded traffic.
    if let identity { _ = present(identity) }
  }

  /// Makes all daemons use a certificate.
  private func present(_ identity: TLSIdentity) -> Bool {
    daemons.count { $0.use(identity) } == daemons.count
  }

  private func report() {
    guard let identity else { return }
    expirationTime.store(identity.expirationTime, ordering: .relaxed)
    if let (level, message) = identity.expiry() { logger.log(level: level, "\(message)") }
  }
}

extension TLSIdentity {
  fileprivate var expirationText: String {
    Date(timeIntervalSince1970: TimeInterval(expirationTime)).formatted(.iso8601)
  }

  /// The message about a certificate that expires within 14 days, or has expired.
  func expiry(
    at now: Int = Int(Date().timeIntervalSince1970)
  ) -> (level: Logger.Level, message: String)? {
    let remedy = "renew --tls-certificate and send SIGHUP"
    if now >= expirationTime {
      return (.error, "the certificate expired at \(expirationText): \(remedy)")
    }
    guard expirationTime - now <= 14 * 86_400 else { return nil }
    return (.warning, "the certificate expires at \(expirationText): \(remedy)")
  }
}

extension Settings {
  /// Reads the certificate and its key; `nil` if both are unset, which means no TLS.
  func tlsIdentity() throws(SettingError) -> TLSIdentity? {
    let (certificate, key) = (SettingTable.all.tlsCertificate, SettingTable.all.tlsKey)
    switch (self.tlsCertificate, self.tlsKey) {
    case (nil, nil): return nil
    case (_?, nil): throw key.error("none", "--tls-certificate requires --tls-key")
    case (nil, _?): throw certificate.error("none", "--tls-key requires --tls-certificate")
    case (let path?, let keyPath?):
      let bytes = try certificate.bytes(of: path, maximumBytes: 1 << 20)
      let keyBytes = try key.bytes(of: keyPath, maximumBytes: 1 << 20)
      do throws(TLSIdentityError) {
        return try TLSIdentity(certificate: bytes, key: keyBytes)
      } catch {
        throw certificate.error(path, "cannot be used with --tls-key \(keyPath): \(error.reason)")
      }
    }
  }
}
