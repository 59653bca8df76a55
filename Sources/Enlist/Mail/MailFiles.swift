internal import FoundationEssentials
internal import Glibc

/// The files and directories in the settings of mail, checked at startup.
enum MailFiles {
  /// Creates a directory for mail that only its owner can use, unless it exists.
  ///
  /// The corresponding C functions are `mkdir` and `access`.
  ///
  /// - Throws: `SettingError` if it cannot be created or written to.
  static func prepareDirectory(_ path: String, setting: String) throws(SettingError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw error(path, setting, "the directory cannot be created")
    }
    try checkDirectory(path, setting: setting)
    guard access(path, W_OK | X_OK) == 0 else {
      throw error(path, setting, "the directory cannot be written to")
    }
  }

  /// Whether a path exists; the corresponding C function is `access`.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Checks that a directory that does not exist could be created.
  ///
  /// - Throws: `SettingError` if its parent does not exist or cannot be written to.
  static func checkParent(of path: String, setting: String) throws(SettingError) {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = names.reversed().drop { $0.isEmpty }.dropFirst().reversed().joined(separator: "/")
    let folder = parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent
    guard access(folder, W_OK | X_OK) == 0 else {
      throw error(path, setting, "the directory cannot be created")
    }
  }

  /// Checks that a path is that of a directory.
  static func checkDirectory(_ path: String, setting: String) throws(SettingError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw error(path, setting, "the directory cannot be read")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SettingError(setting: setting, value: path, reason: "the path is not a directory")
    }
  }

  /// Reads a file that contains at least one certificate in PEM.
  @discardableResult
  static func checkAuthorities(_ path: String, setting: String) throws(SettingError) -> [UInt8] {
    // Reading a pipe or a device might not end.
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path, setting, "the file cannot be read") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SettingError(setting: setting, value: path, reason: "the path is not a file")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SettingError(setting: setting, value: path, reason: "the file cannot be read")
    }
    guard data.contains("-----BEGIN CERTIFICATE-----".utf8) else {
      throw SettingError(
        setting: setting, value: path, reason: "the file contains no certificate in PEM format")
    }
    return Array(data)
  }

  private static func error(_ path: String, _ setting: String, _ reason: String) -> SettingError {
    SettingError(setting: setting, value: path, reason: "\(reason): \(SystemError.text(of: errno))")
  }
}
