internal import Glibc

extension Keyring {
  /// The maximum length of a file: two secrets of 64 bytes in base64, a comma and a newline fit.
  private static let maximumFileBytes = 256

  /// Reads a keyring from a file; the corresponding C function is `read`.
  ///
  /// - Throws: `SecretError`, which never contains the content.
  package init(contentsOfFile path: String) throws(SecretError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(code: errno) }
    defer { close(descriptor) }
    // Reading one more byte than allowed detects a file that is too long.
    var bytes = [UInt8](repeating: 0, count: Self.maximumFileBytes + 1)
    var count = 0
    while count < bytes.count {
      let received = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if received < 0, errno == EINTR { continue }
      guard received >= 0 else { throw .unreadable(code: errno) }
      if received == 0 { break }
      count += received
    }
    guard count <= Self.maximumFileBytes else { throw .tooLong }
    try self.init(String(decoding: bytes[..<count], as: UTF8.self))
  }
}
