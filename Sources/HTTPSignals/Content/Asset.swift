internal import HTTPTypes

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
