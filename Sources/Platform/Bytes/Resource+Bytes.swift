package import CResources

extension Resource {
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }
}
