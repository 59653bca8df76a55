internal import Glibc

/// The reading of a template's file, which may be anything: a device, a pipe, or very long.
enum TemplateFile {
  /// Reads a file, following symbolic links.
  ///
  /// It never waits, and reads at most one byte more than the limit. The corresponding C functions
  /// are `open`, `fstat` and `read`.
  ///
  /// - Returns: The content; `nil` if the file does not exist.
  static func read(
    _ path: String,
    atMost maximumBytes: Int
  ) throws(TemplateFileError) -> [UInt8]? {
    // O_NONBLOCK: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      // A symbolic link without a target is a mistake, and not a missing file.
      var status = stat()
      if errno == ENOENT, lstat(path, &status) != 0 { return nil }
      throw .unreadable
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    var count = 0
    while count < bytes.count {
      let result = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw .unreadable }
      if result == 0 { break }
      count += result
    }
    guard count <= maximumBytes else { throw .tooLong }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

/// The reason the file of a template cannot be read.
enum TemplateFileError: Error {
  /// The system cannot open or read it.
  case unreadable
  /// It is a directory, a device or a pipe.
  case notRegular
  /// It is longer than the limit.
  case tooLong

  /// Describes the reason.
  ///
  /// - Parameter limit: The maximum length in bytes.
  /// - Returns: The description, without a full stop.
  func reason(limit: Int) -> String {
    switch self {
    case .unreadable: "the file cannot be read"
    case .notRegular: "the path is not a file"
    case .tooLong: "the file is longer than \(limit) bytes"
    }
  }
}
