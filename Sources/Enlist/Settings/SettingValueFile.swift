internal import Glibc

/// A file that contains the value of one setting, such as a secret mounted into a container.
///
/// `ENLIST_DATABASE_FILE=/run/secrets/database` sets `--database` to the content of the file.
enum SettingValueFile {
  /// The maximum length of a file, in bytes.
  static let maximumBytes = 65_536

  /// Reads a value: the content of the file, without at most one newline (LF or CR LF) at its end.
  ///
  /// The corresponding C function is `read`.
  ///
  /// - Throws: `SettingError`, which never contains the content of the file.
  static func read(_ path: String, variable: String) throws(SettingError) -> String {
    func error(_ reason: String) -> SettingError {
      SettingError(setting: variable, value: path, reason: reason)
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw error("the file cannot be read: \(SystemError.text(of: errno))")
    }
    defer { close(descriptor) }
    // Reading one more byte than allowed detects a file that is too long.
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    var count = 0
    while count < bytes.count {
      let received = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if received < 0, errno == EINTR { continue }
      guard received >= 0 else {
        throw error("the file cannot be read: \(SystemError.text(of: errno))")
      }
      if received == 0 { break }
      count += received
    }
    guard count <= maximumBytes else {
      throw error("the file is longer than \(maximumBytes) bytes")
    }
    var value = bytes[..<count]
    if value.last == UInt8(ascii: "\n") {
      value.removeLast()
      if value.last == UInt8(ascii: "\r") { value.removeLast() }
    }
    guard let text = String(validating: value, as: UTF8.self) else {
      throw error("the file is not UTF-8")
    }
    return text
  }

  /// Returns whether every user of the machine can read the file.
  ///
  /// The corresponding C function is `stat`.
  static func isReadableByEveryUser(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_mode & S_IROTH != 0
  }
}
