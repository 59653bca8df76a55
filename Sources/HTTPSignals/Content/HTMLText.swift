/// A fragment of HTML, made from literals and escaped text.
///
/// ```swift
/// let item: HTMLText = "<li>\(typed)</li>"
/// ```
///
/// An interpolated `String` is escaped; an interpolated `HTMLText` is not. So a visitor's text
/// never becomes markup, neither in an element nor in a quoted attribute.
package struct HTMLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  package let text: String

  /// Creates HTML from a literal, which is not escaped.
  package init(stringLiteral literal: String) {
    text = literal
  }

  /// Creates HTML from a literal and the escaped values in it.
  package init(stringInterpolation interpolation: Interpolation) {
    text = interpolation.text
  }

  package init(_ pieces: [HTMLText]) {
    text = pieces.map(\.text).joined()
  }

  /// Collects the segments of an interpolated literal.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Appends a part of the literal, which is not escaped.
    package mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// Appends HTML, which is not escaped again.
    package mutating func appendInterpolation(_ html: HTMLText) {
      text += html.text
    }

    /// Appends escaped text (HTML Living Standard §13.3).
    package mutating func appendInterpolation(_ plain: String) {
      var plain = plain
      text += plain.withUTF8 { plain in
        // No entity is longer than six bytes. The result is a single allocation, because the text
        // may be long and consist of escaped characters only.
        String(unsafeUninitializedCapacity: plain.count * 6) { escaped in
          var count = 0
          func append(_ entity: StaticString) {
            for index in 0..<entity.utf8CodeUnitCount {
              escaped[count + index] = entity.utf8Start[index]
            }
            count += entity.utf8CodeUnitCount
          }
          for byte in plain {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case UInt8(ascii: "'"): append("&#39;")
            default:
              escaped[count] = byte
              count += 1
            }
          }
          return count
        }
      }
    }
  }
}
