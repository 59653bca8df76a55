/// A number that may carry an object, whose release a test notices.
struct Number: Comparable, ExpressibleByIntegerLiteral, Sendable, CustomStringConvertible {
  let value: Int
  private let load: Farewell?

  var description: String { "\(value)" }

  init(_ value: Int, carrying load: Farewell? = nil) {
    self.value = value
    self.load = load
  }

  init(integerLiteral value: Int) {
    self.init(value)
  }

  static func == (first: Number, second: Number) -> Bool {
    first.value == second.value
  }

  static func < (first: Number, second: Number) -> Bool {
    first.value < second.value
  }

  /// The sum carries what the second number carries, or else the first.
  static func + (first: Number, second: Number) -> Number {
    Number(first.value + second.value, carrying: second.load ?? first.load)
  }
}
