internal import FoundationEssentials
internal import Synchronization

/// The remaining time until the certificate in use expires.
final class CertificateClock: Sendable {
  /// In seconds since 1970; 0 without a certificate.
  private let expirationTime = Atomic(0)

  /// Sets the certificate in use by its expiration time in seconds since 1970.
  func use(expiringAt time: Int) {
    expirationTime.store(time, ordering: .relaxed)
  }

  /// The remaining time in seconds, negative after the expiration; `nil` without TLS.
  var secondsLeft: Double? {
    let time = expirationTime.load(ordering: .relaxed)
    return time == 0 ? nil : Double(time) - Date().timeIntervalSince1970.rounded()
  }
}
