internal import EmailAddresses
internal import HTTPSignals
package import MailingList
internal import Security

/// The meaning of a file's columns.
package struct ImportMapping: Sendable {
  /// The operator's settings for a file, in addition to its columns.
  package struct Options: Sendable {
    package var map: [ImportedPart: String] = [:]
    /// The state of all people whose column does not say another.
    package var state: Subscriber.State?
    /// What the words of the mapped column mean, in lowercase; a suppression has its reason.
    package var states: [String: (state: Subscriber.State, reason: Suppression?)] = [:]
    /// The columns that do not say who has left, whatever their names.
    package var ignored: Set<String> = []
    package var consentText: String?
    /// Whether subscribers without any date are rejected.
    package var requiresProof = false
    package var fields: [FormField] = []
    /// The name of the file, stored with the consents.
    package var file = ""

    package init() {}

    /// Whether the people in a file of Mailchimp never agreed.
    fileprivate var isOfNonsubscribed: Bool { file.lowercased().hasPrefix("nonsubscribed_") }

    /// The state of the people in a file of Mailchimp, which has one for each state.
    fileprivate var stateOfMailchimpFile: Subscriber.State? {
      let name = file.lowercased()
      if name.hasPrefix("subscribed_") { return .subscribed }
      if name.hasPrefix("unsubscribed_") { return .unsubscribed }
      if name.hasPrefix("cleaned_") { return .suppressed }
      return nil
    }
  }

  /// The reason why a row is not imported.
  package struct Rejection: Error, Hashable {
    /// The code of an invalid address, or of what else is wrong.
    package let reason: String
    /// What is wrong in an object of the API.
    let member: String
    package let suggestion: String?

    package init(reason: String, in member: String = "address", suggestion: String? = nil) {
      self.reason = reason
      self.member = member
      self.suggestion = suggestion
    }

    static let invalidDate = Rejection(
      reason: "invalid-date", in: "created_at, confirmed_at or unsubscribed_at")
    static let unknownState = Rejection(reason: "unknown-state", in: "state")
    static let unknownReason = Rejection(reason: "unknown-reason", in: "reason")
    static let invalidField = Rejection(reason: "invalid-field", in: "fields")

    fileprivate static func malformed(in member: String = "consents") -> Rejection {
      Rejection(reason: "malformed-row", in: member)
    }
  }

  package let source: ImportSource
  private let options: Options
  private let columns: [String]
  private let indexes: [ImportedPart: Int]
  /// The state of people about whom no column says anything.
  private let defaultState: Subscriber.State?

  /// Finds the columns.
  ///
  /// - Parameters:
  ///   - source: `nil` recognizes it.
  ///   - statuses: The columns that may say who has left.
  package init(
    _ columns: [String], from source: ImportSource?, statuses: StatusColumns = StatusColumns(),
    _ options: Options
  ) throws(ImportError) {
    guard !columns.contains(where: Self.hasAddress) else { throw .noHeader }
    let source = source ?? ImportSource(columns: columns)
    // With a map, the operator says what the columns of any product mean.
    let lowercased = columns.map { $0.lowercased() }
    if let remedy = source.remedy(for: lowercased), options.map.isEmpty {
      throw .notImported(source, remedy: remedy)
    }
    var indexes: [ImportedPart: Int] = [:]
    for (part, names) in source.columns {
      indexes[part] = names.lazy.compactMap { lowercased.firstIndex(of: $0) }.first
    }
    if source == .mailchimp { indexes[.address] = 0 }
    for field in options.fields {
      indexes[.field(field.name)] = lowercased.firstIndex(of: field.name)
    }
    for (part, name) in options.map {
      guard let index = columns.firstIndex(of: name) ?? lowercased.firstIndex(of: name.lowercased())
      else { throw .unknownColumn(name, columns: columns) }
      indexes[part] = index
    }
    guard indexes[.address] != nil else { throw .noAddresses(columns: columns) }
    if source != .enlist, options.map[.state] == nil,
      let name = indexes[.state].map({ columns[$0] }),
      options.ignored.contains(name)
        || statuses.hasOnlyForeignStates(name, { Self.state(named: $0) != nil })
    {
      // It is a state of the United States, or in the words of another product.
      indexes[.state] = nil
    }
    var state = options.state
    if source == .mailchimp, let fileState = options.stateOfMailchimpFile {
      state = fileState == .subscribed ? state ?? fileState : fileState
    }
    let subscribes = state == nil || state == .subscribed || state == .pending
    if source == .mailchimp, subscribes, options.isOfNonsubscribed { throw .neverAgreed }
    let known = Set(indexes.values.map { columns[$0] })
      .union(options.ignored).union(columns.filter { source.saysNothing(in: $0.lowercased()) })
    if indexes[.state] != nil ? source != .enlist : subscribes {
      let objections = statuses.objections(exceptIn: known)
      if !objections.isEmpty { throw .unreadStatus(objections) }
    }
    let hasDates = indexes[.unsubscribedAt] != nil || indexes[.suppressedAt] != nil
    guard indexes[.state] != nil || state != nil || source == .mailchimp && hasDates else {
      throw .noState(source)
    }
    defaultState = state
    self.source = source
    self.options = options
    self.columns = columns
    self.indexes = indexes
  }

  /// Creates the meaning of an object of the API, which has the names of an export.
  package init(objectsWith fields: [FormField]) {
    let parts: [ImportedPart] =
      [.address, .state, .reason, .locale, .createdAt, .confirmedAt, .unsubscribedAt]
      + fields.map { .field($0.name) }
    source = .enlist
    columns = parts.map(\.name)
    indexes = Dictionary(uniqueKeysWithValues: zip(parts, parts.indices))
    var options = Options()
    options.fields = fields
    options.file = "api"
    self.options = options
    defaultState = nil
  }

  /// Whether a word of a name of a column is an address, as in a file without a header.
  private static func hasAddress(_ name: String) -> Bool {
    name.split(separator: " ").contains { word in
      word.dropFirst().dropLast().contains("@")
    }
  }

  /// Reads a person from an object of the API, which without a date was confirmed now; unlike in a
  /// file, a member that is not as an export writes it is an error.
  func person(_ object: ExportedPerson, at now: Timestamp) throws(Rejection) -> ImportedPerson {
    let known = columns + ["fields", "consents"]
    if let name = known.first(where: object.mistyped.contains) { throw .malformed(in: name) }
    let reason = object.text(of: "reason")
    guard reason == nil || Suppression.allCases.contains(where: { $0.name == reason }) else {
      throw .unknownReason
    }
    let cells = columns.map { object.text(of: $0) ?? "" }
    return try person(ImportRow(line: 1, cells: cells, consents: object.consents), at: now)
  }

  /// The use of each column, for the operator.
  package var summary: String {
    let parts = Dictionary(indexes.map { ($1, $0.name) }) { first, _ in first }
    let (kept, dropped) = columns.indices.reduce(into: ([String](), [String]())) { lists, index in
      if let part = parts[index] {
        lists.0.append(part == columns[index] ? part : "\(columns[index]) as \(part)")
      } else if !columns[index].isEmpty {
        lists.1.append(columns[index])
      }
    }
    return "reading \(kept.joined(separator: ", "))"
      + (dropped.isEmpty ? "" : "; leaving out \(dropped.joined(separator: ", "))")
  }

  /// Reads a person from a row.
  ///
  /// - Parameter now: The time of what has no date.
  package func person(_ row: ImportRow, at now: Timestamp) throws(Rejection) -> ImportedPerson {
    guard !row.isMalformed, row.unreadable.isDisjoint(with: indexes.values) else {
      throw .malformed()
    }
    let address = try address(row)
    // A local time without an offset may be some hours ahead.
    let end = now.adding(.seconds(86_400))
    let created = try time(.createdAt, row, before: end)
    let confirmed = try time(.confirmedAt, row, before: end)
    let left = try time(.unsubscribedAt, row, before: end)
    let cleaned = try time(.suppressedAt, row, before: end)
    var (state, reason) = try state(row, hasLeft: left != nil, isCleaned: cleaned != nil)
    let date = confirmed ?? created
    // Who has left after having joined has left, whatever the state says.
    if source != .enlist, state == .subscribed || state == .pending, let left,
      date.map({ left > $0 }) ?? true
    {
      state = .unsubscribed
    }
    if options.requiresProof, state == .subscribed, date == nil {
      throw Rejection(reason: "no-proof")
    }
    // Who has left another product had joined it. Without that date, the person would be deleted like
    // one who never confirmed, and a later import of an older file would bring them back.
    let hasJoined = state == .subscribed || state == .unsubscribed && source != .enlist
    let membership = Membership(
      state: state, suppression: reason, confirmedAt: hasJoined ? date ?? left ?? now : confirmed,
      unsubscribedAt: state == .unsubscribed ? left ?? now : left,
      suppressedAt: state == .suppressed ? cleaned ?? left ?? now : nil)
    let fields = try fields(row, of: state)
    return ImportedPerson(
      address: address, membership: membership, leftAt: left, locale: text(.locale, row),
      createdAt: created ?? confirmed ?? now, fields: fields,
      consents: try consents(row, of: address, at: date, now))
  }

  private func text(_ part: ImportedPart, _ row: ImportRow) -> String? {
    guard let index = indexes[part], row.cells.indices.contains(index) else { return nil }
    let cell = row.cells[index]
    guard !cell.isEmpty else { return nil }
    switch part {
    case .address, .state, .status, .field: return cell
    case .reason, .locale, .createdAt, .confirmedAt, .unsubscribedAt, .suppressedAt, .clientAddress:
      return Self.absences.contains(cell) ? nil : cell
    }
  }

  /// What R, Python and databases write for nothing; in a field, it may be what a person has typed.
  private static let absences: Set = ["NA", "NULL", "null", "\\N", "None", "NaN", "nan", "NaT"]

  private func address(_ row: ImportRow) throws(Rejection) -> EmailAddress {
    let typed = text(.address, row) ?? ""
    do throws(EmailAddressError) {
      return try EmailAddress(validating: typed, level: source == .enlist ? .test : .form)
    } catch {
      throw Rejection(reason: error.reason.rawValue, suggestion: EmailSuggestion.forTyped(typed))
    }
  }

  private func time(
    _ part: ImportedPart, _ row: ImportRow, before end: Timestamp
  ) throws(Rejection) -> Timestamp? {
    // MySQL's date for none.
    guard let text = text(part, row), !text.hasPrefix("0000-00-00") else { return nil }
    guard let time = Timestamp(ofProduct: text), time < end else {
      throw .invalidDate
    }
    return time
  }

  private func state(
    _ row: ImportRow, hasLeft: Bool, isCleaned: Bool
  ) throws(Rejection) -> (Subscriber.State, Suppression?) {
    if word(.status, row) == "blocklisted" { return (.suppressed, .operator) }
    if isCleaned { return (.suppressed, .hardBounce) }
    let word = word(.state, row)
    if let mapped = options.states[word ?? ""] {
      guard mapped.state == .suppressed, mapped.reason == nil else { return mapped }
      return (.suppressed, reason(row))
    }
    guard let word else {
      if hasLeft, source != .enlist, defaultState != .suppressed { return (.unsubscribed, nil) }
      guard let state = defaultState else { throw .unknownState }
      guard state == .suppressed else { return (state, nil) }
      return (state, source == .mailchimp ? .hardBounce : reason(row))
    }
    guard let state = Self.state(named: word) else { throw .unknownState }
    return (state, state == .suppressed ? reason(row) : nil)
  }

  /// Reads the reason of a suppression; `nil` for a word that is not ours, which must not make the
  /// person mailable.
  private func reason(_ row: ImportRow) -> Suppression? {
    word(.reason, row).flatMap { word in Suppression.allCases.first { $0.name == word } }
  }

  /// Whether a row gives another reason of a suppression than ours.
  package func hasForeignReason(_ row: ImportRow) -> Bool {
    word(.reason, row) != nil && reason(row) == nil
  }

  /// Returns the word in a cell, whatever its case and the space around it.
  private func word(_ part: ImportedPart, _ row: ImportRow) -> String? {
    guard let text = text(part, row) else { return nil }
    let inner = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
    return inner.isEmpty ? nil : String(inner).lowercased()
  }

  private static func state(named text: String) -> Subscriber.State? {
    Subscriber.State.allCases.first { $0.name == text.lowercased() }
  }

  /// Reads the owner's fields, whose line breaks become blanks; those of who has left may be invalid.
  private func fields(
    _ row: ImportRow, of state: Subscriber.State
  ) throws(Rejection) -> String? {
    var values: [String: String] = [:]
    for field in options.fields {
      guard let text = text(.field(field.name), row) else { continue }
      let value = text.replacing(/[\r\n\t]+/, with: " ")
      guard FormField.accepts(value) else {
        if state == .unsubscribed || state == .suppressed { continue }
        throw .invalidField
      }
      values[field.name] = value
    }
    return JSONText.object(values, inOrderOf: options.fields.map(\.name))
  }

  /// The consents of our own exports as they are; otherwise one of the file.
  private func consents(
    _ row: ImportRow, of address: EmailAddress, at date: Timestamp?, _ now: Timestamp
  ) throws(Rejection) -> [RecordedConsent] {
    if !row.consents.isEmpty {
      return try row.consents.map { exported throws(Rejection) in
        guard let consent = RecordedConsent(exported, fields: options.fields) else {
          throw .malformed()
        }
        return consent
      }
    }
    // The same person of the same file has the same id, so that a repeated import adds nothing.
    let time = date ?? Timestamp(millisecondsSince1970: 0)
    let hash = TextHash.sha256(of: [source.rawValue, address.key, "imported", "\(time)"])
    let timeBytes = (0..<6).map {
      UInt8(truncatingIfNeeded: time.millisecondsSince1970 >> (40 - 8 * $0))
    }
    guard let id = ExecutionID(bytes: timeBytes + hash.prefix(16)) else { return [] }
    let client = text(.clientAddress, row).flatMap { ClientAddress($0)?.network.text }
    return [
      RecordedConsent(
        subscriberID: 0, id: id, kind: "imported", time: date ?? now, means: nil, requestID: nil,
        messageID: nil, wording: nil,
        consent: Consent(
          text: options.consentText, sourceURL: "import:\(options.file)", clientAddress: client,
          locale: text(.locale, row)))
    ]
  }
}

extension RecordedConsent {
  /// Reads a consent of an export; `nil` if an export would not write it.
  fileprivate convenience init?(_ exported: ExportedConsent, fields: [FormField]) {
    guard let id = ExecutionID(exported.id), let time = Timestamp(importing: exported.at),
      ["requested", "confirmed", "withdrawn", "imported"].contains(exported.kind)
    else { return nil }
    self.init(
      subscriberID: 0,
      id: id,
      kind: exported.kind,
      time: time,
      means: exported.means,
      requestID: exported.requestID.flatMap { ExecutionID($0) },
      messageID: exported.messageID,
      wording: exported.wording.map {
        Wording(language: $0.language, subject: $0.subject, text: $0.text)
      },
      consent: Consent(
        text: exported.text, sourceURL: exported.sourceURL, origin: exported.origin,
        clientAddress: exported.ip, userAgent: exported.userAgent, locale: exported.locale,
        next: exported.next,
        fields: exported.fields.flatMap {
          JSONText.object($0.compactMapValues(\.self), inOrderOf: fields.map(\.name))
        })
    )
  }
}
