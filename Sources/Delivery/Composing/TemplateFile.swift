internal import Glibc

/// A reader of template files, whose paths may also lead to a device, a pipe or a very long file.
enum TemplateFile {
  /// Returns the content of a file, following symbolic links; `nil` if it does not exist.
  ///
  /// The function never waits, and reads at most one byte more than the limit. The corresponding C
  /// functions are `open`, `fstat` and `read`.
  static func read(
    _ name: String, in directory: String, atMost maximumBytes: Int
  ) throws(TemplateError) -> String? {
    func error(_ reason: String) -> TemplateError {
      TemplateError(file: name, reason: reason)
    }
    let path = "\(directory)/\(name)"
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      // A dangling symbolic link is an error, not a missing file.
      var status = stat()
      if errno == ENOENT, lstat(path, &status) != 0 { return nil }
      throw error("the file cannot be read")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error("the file cannot be read") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw error("the path is not a file") }
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    var count = 0
    while count < bytes.count {
      let result = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw error("the file cannot be read") }
      if result == 0 { break }
      count += result
    }
    guard count <= maximumBytes else {
      throw error("the file is longer than \(maximumBytes) bytes")
    }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw error("the file is not UTF-8")
    }
    return text
  }
}
