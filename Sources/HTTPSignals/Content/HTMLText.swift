/// A piece of HTML: made of literals, and of text that is escaped.
///
/// ```swift
/// let item: HTMLText = "<li>\(typed)</li>"
/// ```
///
/// Whatever is interpolated is text, save what is HTML already; so nothing that a person typed can
/// become markup, in an element or in a quoted attribute.
package struct HTMLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The HTML.
  package let text: String

  package init(stringLiteral literal: String) {
    text = literal
  }

  package init(stringInterpolation interpolation: Interpolation) {
    text = interpolation.text
  }

  /// Joins pieces.
  ///
  /// - Parameter pieces: In their order.
  package init(_ pieces: [HTMLText]) {
    text = pieces.map(\.text).joined()
  }

  /// Collects the pieces of a literal.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// Adds HTML as it is.
    package mutating func appendInterpolation(_ html: HTMLText) {
      text += html.text
    }

    /// Adds text, escaped (HTML Living Standard §13.3).
    package mutating func appendInterpolation(_ plain: String) {
      var plain = plain
      text += plain.withUTF8 { plain in
        // No entity is longer than six bytes. One string, since what a client typed may be long and
        // all of it in need of escape.
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
