package import HTTPTypes

/// A file of the program's own that browsers keep.
package struct Asset: Sendable {
  /// Its bytes.
  package let bytes: [UInt8]
  /// Its media type.
  package let mediaType: String
  /// What changes when its bytes do (RFC 9110 §8.8.3).
  package let entityTag: String

  /// Makes an asset.
  ///
  /// - Parameters:
  ///   - bytes: Its bytes.
  ///   - mediaType: Its media type.
  package init(_ bytes: [UInt8], mediaType: String) {
    self.bytes = bytes
    self.mediaType = mediaType
    entityTag = "\"\(Self.digest(bytes))\""
  }

  /// FNV-1a: nobody else writes these files, so equal tags cannot be forged.
  private static func digest(_ bytes: [UInt8]) -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(digest, radix: 36)
  }

  /// The answer to a request for it: 304 when the client has it already.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - more: More header fields.
  /// - Returns: The answer, which is kept for a time and asked about afterwards.
  package func response(to request: Request, fields more: HTTPFields = [:]) -> Response {
    var fields = more
    fields[.eTag] = entityTag
    fields[.cacheControl] = "public, max-age=300"
    // Weak comparison, and any tag at all (RFC 9110 §13.1.2).
    let isKnown = request.fields.values(of: "if-none-match").contains { value in
      value == "*"
        || value.utf8.split(separator: UInt8(ascii: ","), maxSplits: 32).prefix(32).contains {
          tag in
          ForwardedField.trimmed(Substring(tag)).utf8.elementsEqual(entityTag.utf8)
            || ForwardedField.trimmed(Substring(tag)).utf8.elementsEqual("W/\(entityTag)".utf8)
        }
    }
    if isKnown {
      return Response(status: .notModified, fields: fields)
    }
    fields[.contentType] = mediaType
    return Response(status: .ok, fields: fields, body: .bytes(bytes))
  }
}
