internal import Glibc

extension DatabaseFiles {
  /// Rejects files that SQLite cannot open, or would wait for.
  ///
  /// SQLite would create a missing database, and would wait for another process to write to a pipe.
  /// No file is opened.
  ///
  /// - Parameters:
  ///   - named: The path as the operator entered it, for the error, if it differs.
  ///   - isList: Whether the file must be that of the service, which creates it.
  func require(
    named: String? = nil, mayCreate: Bool = false, isList: Bool = false
  ) throws(StoreOpeningError) {
    for file in [database, log, index, database + "-journal", lock] {
      guard let status = FileStatus(at: file), !status.isRegular else { continue }
      let name = file == database ? "it" : file
      throw .cannotOpen(path: named ?? path, reason: "\(name) is not a regular file")
    }
    guard FileStatus(at: database) == nil else { return }
    let missing = "the file does not exist"
    let reason =
      errno != ENOENT
      ? Self.systemError
      : isList ? "\(missing). Check the path, or start the service once, which creates it" : missing
    throw .cannotOpen(path: named ?? path, reason: folderObstacle(ifWritten: mayCreate) ?? reason)
  }

  /// The reason why SQLite cannot open or create the files, which SQLite does not report; `nil` if
  /// the system permits it.
  var obstacle: String? {
    if let reason = folderObstacle(ifWritten: true) { return reason }
    return Self.isAllowed(database, R_OK) ? nil : "the file cannot be read: \(Self.systemError)"
  }

  private func folderObstacle(ifWritten isWritten: Bool) -> String? {
    let named = Self.split(path).folder
    guard let status = FileStatus(at: named) else {
      return errno == ENOENT
        ? "the folder \(named) does not exist" : "the folder \(named): \(Self.systemError)"
    }
    guard !status.isRegular else { return "\(named) is not a folder" }
    let folder = Self.split(database).folder
    guard Self.isAllowed(folder, isWritten ? W_OK | X_OK : X_OK) else {
      return "the folder \(folder) cannot be \(isWritten ? "written" : "read"): \(Self.systemError)"
    }
    return nil
  }

  /// Whether the process may use a file; the corresponding C function is `faccessat`.
  private static func isAllowed(_ path: String, _ mode: Int32) -> Bool {
    faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
  }

  private static var systemError: String { String(cString: strerror(errno)) }
}
