internal import FoundationEssentials
internal import Logging

/// A log message about a certificate that expires soon or has expired.
struct CertificateExpiry: Equatable {
  /// The time before the expiration in which a certificate is reported, in seconds.
  private static let warningPeriod = 14 * 86_400

  let level: Logger.Level
  let message: String

  /// Compares the expiration time of a certificate with the current time, both in seconds since
  /// 1970.
  ///
  /// Returns `nil` more than 14 days before the expiration.
  init?(of expirationTime: Int, at now: Int) {
    let remedy = "renew --tls-certificate and send SIGHUP"
    let date = Self.text(of: expirationTime)
    if now >= expirationTime {
      level = .error
      message = "the certificate expired at \(date): \(remedy)"
    } else if expirationTime - now <= Self.warningPeriod {
      level = .warning
      message = "the certificate expires at \(date): \(remedy)"
    } else {
      return nil
    }
  }

  /// Formats a time in seconds since 1970 as ISO 8601.
  static func text(of time: Int) -> String {
    Date(timeIntervalSince1970: TimeInterval(time)).formatted(.iso8601)
  }
}
