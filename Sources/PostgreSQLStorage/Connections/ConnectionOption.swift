/// A keyword of libpq and its value.
struct ConnectionOption: Hashable, Sendable {
  /// The keyword, such as `sslmode`.
  let keyword: String
  let value: String
}
