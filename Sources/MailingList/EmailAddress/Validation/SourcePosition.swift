/// A scalar and the byte of the typed text at which it begins.
struct SourcePosition {
  let scalar: Unicode.Scalar
  let offset: Int
}
