internal import FoundationEssentials
internal import Security
internal import Logging
internal import Microhttpd

/// The upkeep of the certificate of running daemons, which reloads it on SIGHUP and warns before it
/// expires.
///
/// An actor, because the daily check must not restore a certificate that a reload has replaced.
actor CertificateUpkeep {
  private let settings: Settings
  private let daemons: [Daemon]
  private let clock: CertificateClock
  private let notifier: SystemdNotifier?
  private let logger: Logger
  private var identity: TLSIdentity?

  /// Creates the upkeep of daemons that present the same certificate; the identity is `nil` without
  /// TLS.
  init(
    of daemons: [Daemon], identity: TLSIdentity?, clock: CertificateClock, settings: Settings,
    notifier: SystemdNotifier?, logger: Logger
  ) {
    self.daemons = daemons
    self.identity = identity
    self.clock = clock
    self.settings = settings
    self.notifier = notifier
    self.logger = logger
  }

  /// Checks the expiration immediately and every day, and reloads on each signal, until the task is
  /// canceled.
  func run(reloadAt signals: AsyncStream<Void>) async {
    reportExpiry()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signals { await self.reload() } }
      group.addTask {
        while (try? await Task.sleep(for: .seconds(86_400))) != nil { await self.checkDaily() }
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
      let end = CertificateExpiry.text(of: read.expirationTime)
      logger.info("certificate reloaded", metadata: ["expires": "\(end)"])
      reportExpiry()
    } catch {
      logger.error("certificate not reloaded, the old one remains in use: \(error)")
    }
  }

  private func checkDaily() {
    reportExpiry()
    // Rotates the key for session tickets: with a permanent key, an attacker who steals it could
    // decrypt all recorded traffic.
    if let identity { _ = present(identity) }
  }

  /// Makes all daemons use a certificate.
  private func present(_ identity: TLSIdentity) -> Bool {
    daemons.count { $0.use(identity) } == daemons.count
  }

  private func reportExpiry() {
    guard let time = identity?.expirationTime else { return }
    clock.use(expiringAt: time)
    let now = Int(Date().timeIntervalSince1970)
    guard let expiry = CertificateExpiry(of: time, at: now) else { return }
    logger.log(level: expiry.level, "\(expiry.message)")
  }
}
