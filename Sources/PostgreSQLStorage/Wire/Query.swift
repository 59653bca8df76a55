/// A statement with its parameters in binary format.
///
/// All parameters share one buffer, so that a batch of sign-ups costs a few allocations.
struct Query: Sendable {
  /// The statement, with `$1` for the first parameter.
  let sql: String
  /// The types of the parameters.
  private(set) var types: [WireType] = []
  /// The range of each parameter in ``bytes``; `nil` for null.
  private(set) var ranges: [Range<Int>?] = []
  /// The parameters.
  private(set) var bytes: [UInt8] = []

  /// Creates a query without parameters.
  init(_ sql: String) {
    self.sql = sql
  }

  /// Appends a parameter.
  ///
  /// - Parameter value: The value; `nil` is null.
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

  /// Appends an array as a parameter.
  ///
  /// - Parameter elements: The elements; `nil` is null.
  mutating func bind<Element: WireValue>(array elements: some Collection<Element?>) {
    types.append(Element.wireArrayType)
    let start = bytes.count
    WireArray.append(elements, to: &bytes)
    ranges.append(start..<bytes.count)
  }

  /// Appends a parameter that is in binary format already.
  ///
  /// - Parameter value: The bytes.
  mutating func bind(_ value: UnsafeRawBufferPointer, as type: WireType) {
    types.append(type)
    let start = bytes.count
    bytes.append(contentsOf: value)
    ranges.append(start..<bytes.count)
  }

  /// Returns the query with one more parameter.
  ///
  /// - Parameter value: The value; `nil` is null.
  func binding(_ value: (some WireValue)?) -> Query {
    var query = self
    query.bind(value)
    return query
  }

  /// Returns the query with an array as one more parameter.
  ///
  /// - Parameter elements: The elements; `nil` is null.
  func binding<Element: WireValue>(array elements: some Collection<Element?>) -> Query {
    var query = self
    query.bind(array: elements)
    return query
  }
}
