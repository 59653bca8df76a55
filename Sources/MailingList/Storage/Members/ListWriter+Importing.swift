internal import EmailAddresses
internal import Security

extension ListWriter {
  /// Stores people of another list, whose addresses differ, or only decides about them; returns
  /// the results in their order.
  package func store(
    _ people: [ImportedPerson], by actor: EventActor, at time: Timestamp, onlyDeciding: Bool = false
  ) throws(StoreError) -> [ImportResult] {
    // In the order of keys, as sign-ups lock rows.
    let order = people.indices.sorted { people[$0].address.key < people[$1].address.key }
    let hashes = people.map { keys.suppressions(of: $0.address) }
    return try deciding { () throws(StoreError) in
      let found = zip(order, try members(withKeys: order.map { people[$0].address.key })).map {
        (index, member) in
        let person = people[index]
        let after = member?.membership
          .importing(person.membership, leftAt: person.leftAt, at: time)
        return (index: index, member: member, after: after)
      }
      // Of those who do not change, nothing is looked up.
      let concerned = found.filter { $0.member == nil || $0.after != nil }.map { hashes[$0.index] }
      var stored = try ListReader(session).suppressions(of: concerned)
      var results = [ImportResult](repeating: .known, count: people.count)
      var changes = Self.locking(concerned)
      for (index, member, after) in found {
        let person = people[index]
        guard let member else {
          results[index] = stored.rejectsAdding(hashes[index]) ? .suppressed : .new
          continue
        }
        if after?.state == .subscribed, stored.strongestOfMailbox(hashes[index]) != nil {
          results[index] = .suppressed
          continue
        }
        if let after {
          results[index] = .changed
          changes += member.writing(after, by: actor, as: .imported, at: time)
        }
        changes += Self.adding(person.consents, to: person.address, at: time)
      }
      // In the order of the file, so that ids have it.
      for (index, person) in people.enumerated() where results[index] == .new {
        changes += Self.adding(person, hashes[index], by: actor, at: time)
        changes += Self.adding(person.consents, to: person.address, at: time)
      }
      for (index, member, after) in found {
        guard let membership = member == nil ? people[index].membership : after else { continue }
        stored.keep(membership, at: time, of: hashes[index])
      }
      changes += stored.changes
      if onlyDeciding { return results }
      return try session.change(changes) ? results : nil
    }
  }

  /// Returns the change that adds a person, which fails if the address has been signed up or
  /// suppressed meanwhile, and its event.
  private static func adding(
    _ person: ImportedPerson, _ hashes: SuppressionHashes, by actor: EventActor, at time: Timestamp
  ) -> [BoundStatement] {
    let membership = person.membership
    let insert = insertPerson(
      .time(person.createdAt), .time(time), .number(membership.state?.rawValue),
      .number(membership.suppression?.rawValue), .time(membership.confirmedAt),
      .time(membership.unsubscribedAt), .time(membership.suppressedAt),
      .text(person.address.normalized), .text(person.address.key),
      .number(person.address.requiresSMTPUTF8 ? 1 : 0), .text(person.locale), .text(person.fields),
      .bytes(hashes.own.first), .bytes(hashes.own.dropFirst().first), .bytes(hashes.mailbox.first),
      .bytes(hashes.mailbox.dropFirst().first)
    ).required
    let state = membership.state ?? .pending
    return [
      insert,
      EventRow.recording(.imported, ofKey: person.address.key, state, by: actor, at: time),
    ]
  }

  /// Returns the changes that store consents, except those that are stored.
  private static func adding(
    _ consents: [RecordedConsent], to address: EmailAddress, at time: Timestamp
  ) -> [BoundStatement] {
    consents.flatMap { adding($0, to: address.key, at: time) }
  }

  private static func adding(
    _ recorded: RecordedConsent, to key: String, at time: Timestamp
  ) -> [BoundStatement] {
    let consent = recorded.consent
    let hash = recorded.wording.map { TextHash.sha256(of: [$0.language, $0.subject, $0.text]) }
    let wording = recorded.wording.map { wording in
      storeWording(
        .bytes(hash),
        .number(MailKind.confirm.rawValue),
        .text(wording.language),
        .text(wording.subject),
        .text(wording.text),
        // Exports lack it.
        .text(""),
        .time(time)
      )
    }
    let insert = insertConsentOfKey(
      [.bytes(recorded.id.bytes), .text(key), .text(recorded.kind), .time(recorded.time)]
        + origin(of: consent) + [
          .text(consent.next),
          .bytes(recorded.requestID?.bytes),
          .text(recorded.means),
          .text(recorded.messageID),
          .bytes(hash),
          .text(consent.fields),
        ]
    )
    return (wording.map { [$0] } ?? []) + [insert]
  }

  /// The columns of a new subscriber except the id, and their values.
  private static let personColumns = """
    created_at, updated_at, requested_at, state, suppression, confirmed_at, unsubscribed_at,
      suppressed_at, rejections, address, address_key, requires_smtputf8, locale, fields
    """
  private static func personValues(_ isInternational: String) -> String {
    "?1, ?2, ?1, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, \(isInternational), ?11, ?12"
  }
  private static let isNotSuppressed = """
    NOT EXISTS (
        SELECT 1 FROM enlist.suppressions x WHERE x.key_hash = ?13 OR x.key_hash = ?14
          OR x.key_hash IN (?15, ?16) AND x.reason \(Suppression.concernsMailbox)
      )
    """
  private static let insertPerson = Statement(
    // No id of a deleted subscriber is assigned again.
    sqlite: """
      INSERT INTO subscribers(id, \(personColumns))
        SELECT max(i.highest_deleted, ifnull((SELECT max(id) FROM subscribers), 0)) + 1,
          \(personValues("?10"))
          FROM subscriber_ids i WHERE \(isNotSuppressed) ON CONFLICT (address_key) DO NOTHING
      """,
    postgreSQL: """
      INSERT INTO enlist.subscribers(\(personColumns))
        SELECT \(personValues("?10 = 1")) WHERE \(isNotSuppressed)
        ON CONFLICT (address_key) DO NOTHING
      """
  )
  private static let insertConsentOfKey = Statement(
    """
    INSERT INTO enlist.consents(\(consentColumns))
      SELECT ?1, s.id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
        FROM enlist.subscribers s WHERE s.address_key = ?2 ON CONFLICT (id) DO NOTHING
    """
  )
}
