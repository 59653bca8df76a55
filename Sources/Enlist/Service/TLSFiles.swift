internal import FoundationEssentials
internal import Security
internal import Microhttpd

extension Settings {
  /// Reads the certificate and its key; `nil` if both are unset, which means no TLS.
  ///
  /// - Throws: `SettingError` if only one of them is set, or a file cannot be read or used.
  func tlsIdentity() throws(SettingError) -> TLSIdentity? {
    let certificateName = "--\(SettingTable.service.tlsCertificate.name)"
    let keyName = "--\(SettingTable.service.tlsKey.name)"
    switch (self.tlsCertificate, self.tlsKey) {
    case (nil, nil):
      return nil
    case (.some, nil):
      throw SettingError(
        setting: keyName, value: "none", reason: "\(certificateName) requires \(keyName)")
    case (nil, .some):
      throw SettingError(
        setting: certificateName, value: "none", reason: "\(keyName) requires \(certificateName)")
    case (let certificatePath?, let keyPath?):
      let certificate = try Self.read(certificatePath, certificateName)
      let key = try Self.read(keyPath, keyName)
      do throws(TLSIdentityError) {
        return try TLSIdentity(certificate: certificate, key: key)
      } catch {
        throw SettingError(
          setting: certificateName, value: certificatePath,
          reason: "cannot be used with \(keyName) \(keyPath): \(error.reason)")
      }
    }
  }

  private static func read(_ path: String, _ name: String) throws(SettingError) -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw SettingError(setting: name, value: path, reason: "the file cannot be read")
    }
  }
}
