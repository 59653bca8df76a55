package import CResources

extension Resource {
  /// The content of the file.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
