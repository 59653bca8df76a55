import Logging
import MailingList
import Security
import TestSupport
import Testing

@testable import enlist

@Suite struct CertificateTests {
  @Test(
    arguments: [
      (-1000 * 86_400, nil, ""), (-14 * 86_400 - 1, nil, ""),
      (-14 * 86_400, .warning, "expires"), (-1, .warning, "expires"),
      (0, .error, "expired"), (1, .error, "expired"), (1000 * 86_400, .error, "expired"),
    ] as [(Int, Logger.Level?, String)]
  )
  func `from 14 days before the expiration there is a warning, and from then on an error`(
    _ seconds: Int, _ level: Logger.Level?, _ verb: String
  ) throws {
    let made = try TestCertificate()
    let identity = try TLSIdentity(certificate: made.certificate, key: made.key)
    let expiry = identity.expiry(at: identity.expirationTime + seconds)
    #expect(expiry?.level == level)
    guard level != nil else { return }
    let time = Timestamp(millisecondsSince1970: Int64(identity.expirationTime) * 1000)
    let text = "\(time.description.prefix(19))Z"
    #expect(
      expiry?.message
        == "the certificate \(verb) at \(text): renew --tls-certificate and send SIGHUP")
  }
}
