internal import HTTPSignals
internal import MailingList

extension Consent {
  /// Makes a consent of what the request itself says beside its body: of the client's address the
  /// network only, of the page no more than where it is, of the rest no more than is of use.
  ///
  /// - Parameters:
  ///   - text: The text that the person agreed to, or its id.
  ///   - locale: The language that was asked for (BCP 47).
  ///   - request: The sign-up.
  convenience init(_ text: String?, locale: String?, of request: Request) {
    self.init(
      text: text,
      sourceURL: request.fields.first("referer").flatMap(Self.page),
      origin: request.fields.first("origin")?.prefix(maximumBytes: WebOrigin.maximumByteCount),
      clientAddress: request.client.network.text,
      userAgent: request.fields.first("user-agent")?.prefix(maximumBytes: 256),
      locale: locale
    )
  }

  /// Scheme, host and path of a page, at most 1,024 bytes of them.
  ///
  /// Query and fragment may hold anything, an address for instance, and user information a password.
  ///
  /// - Parameter url: What `Referer` says.
  /// - Returns: `nil` when it is not an absolute URL with a host.
  private static func page(_ url: String) -> String? {
    let bytes = url.utf8
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let page = bytes[..<(end ?? bytes.endIndex)]
    guard let colon = page.firstIndex(of: UInt8(ascii: ":")),
      page[colon...].starts(with: "://".utf8)
    else { return nil }
    let authority = page[page.index(colon, offsetBy: 3)...]
    let path = authority.firstIndex(of: UInt8(ascii: "/")) ?? authority.endIndex
    let sign = authority[..<path].lastIndex(of: UInt8(ascii: "@"))
    guard let sign else {
      // Most are kept as they are.
      return (end == nil ? url : String(Substring(page))).prefix(maximumBytes: 1024)
    }
    let host = Substring(page[page.index(after: sign)...])
    return "\(url[...colon])//\(host)".prefix(maximumBytes: 1024)
  }
}

extension String {
  /// The beginning of a text that fits, without half of a character: of a Unicode scalar.
  fileprivate func prefix(maximumBytes: Int) -> String {
    guard utf8.count > maximumBytes else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: maximumBytes)
    while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
