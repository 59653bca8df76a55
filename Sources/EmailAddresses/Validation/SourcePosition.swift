/// A scalar and its offset in the typed text, in bytes.
struct SourcePosition {
  let scalar: Unicode.Scalar
  let offset: Int
}
