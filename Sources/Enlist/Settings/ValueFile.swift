internal import FoundationEssentials
internal import Glibc

/// A file that a setting names, such as a secret mounted into a container, or a certificate.
enum ValueFile {
  /// Reads a file, or a pipe: it waits for one into which another program writes, as in
  /// `--config <(…)`, but not for a program that might open one, of which nobody would know.
  static func bytes(_ path: String, maximumBytes: Int = 65_536) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0, let file = fdopen(descriptor, "r") else { throw FileError.unreadable }
    defer { fclose(file) }
    // Opening did not wait; reading does, as long as some program has the pipe open for writing.
    _ = fcntl(descriptor, F_SETFL, 0)
    // One more byte shows that the file is too long.
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw FileError.unreadable }
    guard count <= maximumBytes else {
      throw FileError("the file is longer than \(maximumBytes) bytes")
    }
    var status = stat()
    if count == 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
      throw FileError("the file is a pipe, and no program writes to it")
    }
    return Array(bytes[..<count])
  }

  /// Reads a text without the line ends after it, and without a byte order mark.
  static func text(_ path: String, maximumBytes: Int = 65_536) throws(FileError) -> String {
    let bytes = try bytes(path, maximumBytes: maximumBytes)
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw FileError("the file is not UTF-8")
    }
    // Editors add them, and no value ends or begins with one.
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    while let last = text.unicodeScalars.last, last == "\n" || last == "\r" {
      text.unicodeScalars.removeLast()
    }
    return text
  }

  static func isReadableByEveryUser(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_mode & S_IROTH != 0
  }
}

struct FileError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static var unreadable: FileError {
    FileError("the file cannot be read: \(SystemError.text(of: errno))")
  }
}

/// The files and directories that settings name.
extension SettingRow {
  func bytes(of path: String, maximumBytes: Int = 65_536) throws(SettingError) -> [UInt8] {
    do throws(FileError) {
      return try ValueFile.bytes(path, maximumBytes: maximumBytes)
    } catch {
      throw self.error(path, error.reason)
    }
  }

  /// Reads a file that contains at least one certificate in PEM; a pipe or a device might not end.
  func authorities(in path: String) throws(SettingError) -> [UInt8] {
    try check(path, "file", S_IFREG)
    let bytes = try bytes(of: path, maximumBytes: 1 << 22)
    guard bytes.contains("-----BEGIN CERTIFICATE-----".utf8) else {
      throw error(path, "the file contains no certificate in PEM format")
    }
    return bytes
  }

  func check(directory path: String) throws(SettingError) { try check(path, "directory", S_IFDIR) }

  private func check(_ path: String, _ noun: String, _ type: mode_t) throws(SettingError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw systemError(path, "the \(noun) cannot be read") }
    guard status.st_mode & S_IFMT == type else { throw error(path, "the path is not a \(noun)") }
  }

  func systemError(_ path: String, _ reason: String) -> SettingError {
    error(path, "\(reason): \(SystemError.text(of: errno))")
  }
}
