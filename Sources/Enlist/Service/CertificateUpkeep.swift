internal import Foundation
internal import Logging
internal import Microhttpd

/// Keeps the certificate of a running daemon current: reads it again on SIGHUP, and reports in time
/// that it expires.
///
/// An actor, because the daily check must not bring back a certificate that a reload has replaced.
actor CertificateUpkeep {
  private let settings: Settings
  private let daemon: Daemon
  private let notifier: SystemdNotifier?
  private let logger: Logger
  private var identity: TLSIdentity?

  /// Makes the upkeep of a daemon.
  ///
  /// - Parameters:
  ///   - daemon: Presents the certificate.
  ///   - identity: What it presents now; `nil` without TLS.
  ///   - settings: Where the files are.
  ///   - notifier: Is told of each reload.
  ///   - logger: The program's log.
  init(
    of daemon: Daemon,
    identity: TLSIdentity?,
    settings: Settings,
    notifier: SystemdNotifier?,
    logger: Logger
  ) {
    self.daemon = daemon
    self.identity = identity
    self.settings = settings
    self.notifier = notifier
    self.logger = logger
  }

  /// Checks at once and every day, and reloads at each signal, until its task is canceled.
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
      logger.info("nothing to reload: there is no --tls-certificate")
      return
    }
    do throws(SettingError) {
      guard let read = try settings.tlsIdentity(), daemon.use(read) else {
        logger.error("certificate not reloaded, the old one stays in use: out of memory")
        return
      }
      identity = read
      let end = CertificateExpiry.text(of: read.expirationTime)
      logger.info("certificate reloaded", metadata: ["expires": "\(end)"])
      reportExpiry()
    } catch {
      logger.error("certificate not reloaded, the old one stays in use: \(error)")
    }
  }

  private func checkDaily() {
    reportExpiry()
    // A new key for session tickets: with the old one, what a thief of the key has recorded could be
    // decrypted for ever.
    if let identity { _ = daemon.use(identity) }
  }

  private func reportExpiry() {
    guard let time = identity?.expirationTime else { return }
    let now = Int(Date().timeIntervalSince1970)
    guard let expiry = CertificateExpiry(of: time, at: now) else { return }
    logger.log(level: expiry.level, "\(expiry.message)")
  }
}
