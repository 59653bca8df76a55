import Logging
import Testing

@testable import enlist

@Suite struct CertificateExpiryTests {
  /// 2027-01-01T00:00:00Z.
  private let end = 1_798_761_600
  private let day = 86_400

  @Test func `no warning is logged more than 14 days before the expiration`() {
    #expect(CertificateExpiry(of: end, at: end - 14 * day - 1) == nil)
    #expect(CertificateExpiry(of: end, at: 0) == nil)
  }

  @Test func `a warning is logged from 14 days before the expiration`() {
    for time in [end - 14 * day, end - 1] {
      let expiry = CertificateExpiry(of: end, at: time)
      #expect(expiry?.level == .warning)
      #expect(
        expiry?.message
          == "the certificate expires at 2027-01-01T00:00:00Z: "
          + "renew --tls-certificate and send SIGHUP"
      )
    }
  }

  @Test func `an expired certificate is logged as an error`() {
    for time in [end, end + 1, end + 1000 * day] {
      let expiry = CertificateExpiry(of: end, at: time)
      #expect(expiry?.level == .error)
      #expect(
        expiry?.message
          == "the certificate expired at 2027-01-01T00:00:00Z: "
          + "renew --tls-certificate and send SIGHUP"
      )
    }
  }
}
