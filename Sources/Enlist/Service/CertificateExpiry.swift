internal import Foundation
internal import Logging

/// A log message about a certificate that expires soon or has expired.
struct CertificateExpiry: Equatable {
  /// How long before its expiration a certificate is reported, in seconds.
  private static let warningPeriod = 14 * 86_400

  /// The severity.
  let level: Logger.Level
  /// The log message.
  let message: String

  /// Compares the expiration time of a certificate with the current time.
  ///
  /// Returns `nil` more than 14 days before the expiration.
  ///
  /// - Parameters:
  ///   - expirationTime: The expiration time, in seconds since 1970.
  ///   - now: The current time, in seconds since 1970.
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
