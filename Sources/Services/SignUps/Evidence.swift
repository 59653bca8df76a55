internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The part of a client's address that is stored with a consent.
package enum ConsentAddress: String, Hashable, Sendable, CaseIterable {
  /// The network, a /24 for IPv4 and a /48 for IPv6, which locates a client without identifying a
  /// person.
  case truncated
  case off
  case full

  /// Returns the text to store; `nil` if no part is stored, or the client has no address.
  func text(of client: ClientAddress) -> String? {
    switch self {
    case .truncated: client.network.text
    case .off: nil
    case .full: client.text
    }
  }
}

extension Consent {
  /// Creates the consent of a sign-up from its form fields and the request's header fields.
  ///
  /// The consent contains the part of the client's address that the operator has set, the location
  /// of the page, and the useful length of the other fields.
  ///
  /// - Parameter locale: The language in the form (BCP 47).
  convenience init(
    _ text: String? = nil, locale: String?, next: String? = nil, fields: String? = nil,
    of request: Request, keeping address: ConsentAddress
  ) {
    self.init(
      text: text, sourceURL: request.fields.first(.referer).flatMap(Self.page),
      origin: request.fields.first(.origin)?.prefix(maximumBytes: WebOrigin.maximumByteCount),
      clientAddress: address.text(of: request.client),
      userAgent: request.fields.first(.userAgent)?.prefix(maximumBytes: 256), locale: locale,
      next: next, fields: fields)
  }

  /// Returns the scheme, host and path of a page, at most 1,024 bytes; `nil` if the text is not an
  /// absolute URL with a host.
  ///
  /// The query and the fragment can contain anything, for instance an address, and the user
  /// information can contain a password.
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
      // Most URLs remain unchanged.
      return (end == nil ? url : String(Substring(page))).prefix(maximumBytes: 1024)
    }
    let host = Substring(page[page.index(after: sign)...])
    return "\(url[...colon])//\(host)".prefix(maximumBytes: 1024)
  }
}

extension String {
  /// Returns the longest prefix of at most `maximumBytes` bytes that does not split a Unicode
  /// scalar.
  fileprivate func prefix(maximumBytes: Int) -> String {
    guard utf8.count > maximumBytes else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: maximumBytes)
    while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

extension SignUpService {
  /// Creates the record of a request with which a person confirms or leaves.
  ///
  /// The record omits the page that sent the request, because its URL contains a token or an
  /// execution's id.
  func evidence(of request: Request, at time: Timestamp) -> MembershipRequest {
    MembershipRequest(
      at: time,
      consent: Consent(
        clientAddress: dependencies.consentAddress.text(of: request.client),
        userAgent: request.fields.first(.userAgent)?.prefix(maximumBytes: 256),
        locale: pages.texts.language(preferredBy: request)))
  }
}
