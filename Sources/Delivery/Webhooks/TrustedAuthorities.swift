internal import CCurl
internal import Glibc

/// A file in memory with the authorities of the system and others.
///
/// Debian's libcurl reads authorities from one file only.
final class TrustedAuthorities: Sendable {
  /// The authorities of the system.
  static let systemPath = "/etc/ssl/certs/ca-certificates.crt"

  private let descriptor: Int32

  /// The path of the file, which is valid as long as this object.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Creates a file from PEM; `nil` if memory is exhausted.
  init?(adding authorities: [UInt8]) {
    descriptor = ccurl_memory_file()
    guard descriptor >= 0 else { return nil }
    var content = authorities
    if let system = fopen(Self.systemPath, "r") {
      defer { fclose(system) }
      var part = [UInt8](repeating: 0, count: 65_536)
      content.append(UInt8(ascii: "\n"))
      while case let count = fread(&part, 1, part.count, system), count > 0 {
        content += part[..<count]
      }
    }
    var position = 0
    while position < content.count {
      let count = content.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + position }, bytes.count - position)
      }
      guard count > 0 else {
        close(descriptor)
        return nil
      }
      position += count
    }
  }

  deinit {
    close(descriptor)
  }
}
