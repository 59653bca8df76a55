internal import CSQLite
internal import MailingList

extension PreparedStatement {
  /// Returns a number; `nil` for NULL.
  ///
  /// The corresponding C functions are `sqlite3_column_type` and `sqlite3_column_int64`.
  func number(_ column: Int32) -> Int64? {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, column)
  }

  /// Returns a text; `nil` for NULL.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    return String(cString: text)
  }

  /// Returns bytes; `nil` for NULL.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
    let bytes = UnsafeRawBufferPointer(
      start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
    return Array(bytes)
  }

  /// Returns a time; `nil` for NULL.
  func time(_ column: Int32) -> Timestamp? {
    number(column).map(Timestamp.init(millisecondsSince1970:))
  }

  /// Binds a membership, whose state must not be `nil`, to six parameters, in the order of
  /// `ListRow.membership(_:)`.
  func bind(_ membership: Membership, at index: Int32) {
    bind(membership.state?.rawValue, at: index)
    bind(membership.suppression?.rawValue, at: index + 1)
    bind(membership.confirmedAt?.millisecondsSince1970, at: index + 2)
    bind(membership.unsubscribedAt?.millisecondsSince1970, at: index + 3)
    bind(membership.suppressedAt?.millisecondsSince1970, at: index + 4)
    bind(Int64(membership.rejections), at: index + 5)
  }

  /// Binds the evidence of a consent, without the page that follows it, to six parameters.
  ///
  /// They are text, source_url, origin, ip, user_agent and locale.
  func bind(_ consent: Consent, at index: Int32) {
    bind(consent.text, at: index)
    bind(consent.sourceURL, at: index + 1)
    bind(consent.origin, at: index + 2)
    bind(consent.clientAddress, at: index + 3)
    bind(consent.userAgent, at: index + 4)
    bind(consent.locale, at: index + 5)
  }
}
