internal import MailingList

extension ChangeWriter {
  /// Stores the time and the origin of the last use of a key; without an origin, the previous one
  /// remains.
  func record(_ use: KeyUse) throws(StoreError) {
    let statement = try statements[
      """
      UPDATE keys SET last_used_at = ?2, last_used_from = ?3,
        last_origin = ifnull(?4, last_origin) WHERE id = ?1
      """
    ]
    statement.bind(use.id, at: 1)
    statement.bind(use.minute.millisecondsSince1970, at: 2)
    statement.bind(use.network, at: 3)
    statement.bind(use.origin, at: 4)
    try statement.run()
  }
}
