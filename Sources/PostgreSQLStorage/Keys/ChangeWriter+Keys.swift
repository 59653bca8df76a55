internal import MailingList

extension ChangeWriter {
  /// Stores when and from where a key was last used.
  ///
  /// - Parameter use: The use; the origin of an earlier page stays if this use has none.
  func record(_ use: KeyUse) throws(PostgreSQLError) {
    try change(
      Query(
        """
        UPDATE enlist.keys SET last_used_at = $2, last_used_from = $3,
          last_origin = coalesce($4, last_origin) WHERE id = $1
        """
      )
      .binding(use.id).binding(use.minute).binding(use.network).binding(use.origin)
    )
  }
}
