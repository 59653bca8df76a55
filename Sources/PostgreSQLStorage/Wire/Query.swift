/// A statement with its parameters in binary format.
///
/// All parameters share one buffer, so that a batch of sign-ups requires only a few allocations.
struct Query: Sendable {
  /// The statement, with `$1` for the first parameter.
  let sql: String
  /// The types of the parameters.
  private(set) var types: [WireType] = []
  /// The range of each parameter in ``bytes``; `nil` for NULL.
  private(set) var ranges: [Range<Int>?] = []
  private(set) var bytes: [UInt8] = []

  init(_ sql: String) {
    self.sql = sql
  }

  /// Appends a parameter; `nil` is NULL.
  mutating func bind<Value: WireValue>(_ value: Value?) {
    types.append(Value.wireType)
    guard let value else {
      ranges.append(nil)
      return
    }
    let start = bytes.count
    value.append(to: &bytes)
    ranges.append(start..<bytes.count)
  }

  /// Appends an array as a parameter; `nil` elements are NULL.
  mutating func bind<Element: WireValue>(array elements: some Collection<Element?>) {
    types.append(Element.wireArrayType)
    let start = bytes.count
    WireArray.append(elements, to: &bytes)
    ranges.append(start..<bytes.count)
  }

  /// Appends a parameter whose bytes are already in binary format.
  mutating func bind(_ value: UnsafeRawBufferPointer, as type: WireType) {
    types.append(type)
    let start = bytes.count
    bytes.append(contentsOf: value)
    ranges.append(start..<bytes.count)
  }

  /// Returns the query with another parameter; `nil` is NULL.
  func binding(_ value: (some WireValue)?) -> Query {
    var query = self
    query.bind(value)
    return query
  }

  /// Returns the query with an array as another parameter; `nil` elements are NULL.
  func binding<Element: WireValue>(array elements: some Collection<Element?>) -> Query {
    var query = self
    query.bind(array: elements)
    return query
  }
}
