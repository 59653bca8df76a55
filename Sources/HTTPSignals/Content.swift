internal import HTTPTypes

/// A fragment of HTML, made from literals and escaped text.
///
/// An interpolated `String` is escaped; an interpolated `HTMLText` is not. So a visitor's text
/// never becomes markup, neither in an element nor in a quoted attribute.
package struct HTMLText: Hashable, Sendable, ExpressibleByStringInterpolation {
  package let text: String

  package init(stringLiteral literal: String) { text = literal }

  package init(stringInterpolation interpolation: Interpolation) { text = interpolation.text }

  package init(_ pieces: [HTMLText]) { text = pieces.map(\.text).joined() }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ html: HTMLText) { text += html.text }

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

/// A file that is part of the program and that browsers may cache.
package struct Asset: Sendable {
  package let bytes: [UInt8]
  package let mediaType: String
  /// The entity tag, which changes whenever the bytes do (RFC 9110 §8.8.3).
  package let entityTag: String
  private let cacheControl: String

  /// Creates an asset; caches may reuse a response for `maximumAge` seconds before they revalidate
  /// it.
  package init(_ bytes: [UInt8], mediaType: String, maximumAge: Int = 300) {
    self.bytes = bytes
    self.mediaType = mediaType
    // Some proxies rewrite the addresses in a page.
    let isPage = mediaType.hasPrefix("text/html")
    cacheControl = "public, max-age=\(maximumAge)\(isPage ? ", no-transform" : "")"
    entityTag = "\"\(Self.digest(bytes))\""
  }

  /// Returns the FNV-1a hash of the bytes.
  ///
  /// All files are the program's or the owner's, so no attacker can produce a collision.
  private static func digest(_ bytes: [UInt8]) -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(digest, radix: 36)
  }

  /// Creates the response to a request for the file: 304 if the client's cached copy is current.
  package func response(to request: Request, fields more: FieldList = FieldList()) -> Response {
    var fields = more
    fields[.eTag] = entityTag
    fields[.cacheControl] = cacheControl
    if request.names(entityTag, in: .ifNoneMatch) {
      return Response(status: .notModified, fields: fields)
    }
    fields[.contentType] = mediaType
    return Response(status: .ok, fields: fields, body: .bytes(bytes))
  }
}
