internal import Foundation
internal import Logging

/// What the log has to say about the time at which a certificate expires.
struct CertificateExpiry: Equatable {
  /// How long before its end a certificate is reported.
  private static let warningPeriod = 14 * 86_400

  /// How severe it is.
  let level: Logger.Level
  /// The line.
  let message: String

  /// Compares the end of a certificate with the time.
  ///
  /// There is nothing to say more than 14 days before the end.
  ///
  /// - Parameters:
  ///   - expirationTime: When the certificate expires, in seconds since 1970.
  ///   - now: The time, in seconds since 1970.
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

  /// A time as ISO 8601 writes it.
  static func text(of time: Int) -> String {
    Date(timeIntervalSince1970: TimeInterval(time)).formatted(.iso8601)
  }
}
