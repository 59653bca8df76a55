import EmailAddresses
import MailingList
import Testing

@testable import Services

@Suite struct ImportMappingTests {
  private static let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  private func person(
    _ columns: String, _ cells: String, _ options: ImportMapping.Options = ImportMapping.Options()
  ) throws -> ImportedPerson {
    let columns = columns.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let cells = cells.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return try ImportMapping(columns, from: nil, options)
      .person(ImportRow(line: 2, cells: cells), at: Self.now)
  }

  private static let mailchimp = "Adresse,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,CONFIRM_IP,LEID"

  @Test(
    arguments: [
      (
        "id,address,state,locale,created_at,confirmed_at,unsubscribed_at,reason",
        ImportSource.enlist
      ),
      (mailchimp, .mailchimp),
      ("uuid,email,name,attributes,status,created_at,updated_at", .listmonk),
      ("email,type,creation_date", .buttondown),
      ("email_address,type,notes,creation_date", .buttondown),
      ("email,subscriber_type,creation_date", .buttondown),
      ("email,active_subscription,expiry,email_disabled,created_at", .substack),
      ("id,email,name,note,subscribed_to_emails,created_at,deleted_at", .ghost),
      ("Email,First name,Last name,Data,Status,External ID", .keila),
      ("Email,Name", .other),
    ]
  )
  func `the header says which product has written a file`(columns: String, source: ImportSource) {
    #expect(ImportSource(columns: columns.split(separator: ",").map(String.init)) == source)
  }

  @Test func `Mailchimp's first column is the address, and its columns say who has left`() throws {
    var options = ImportMapping.Options()
    options.file = "subscribed_members_export_1.csv"
    let subscribed = try person(
      Self.mailchimp, "ana@example.com,2,2021-03-04 05:06:07,2021-03-04 06:06:07,192.0.2.77,1",
      options)
    #expect(subscribed.membership.state == .subscribed)
    #expect(subscribed.membership.confirmedAt == Timestamp(importing: "2021-03-04T06:06:07Z"))
    #expect(subscribed.createdAt == Timestamp(importing: "2021-03-04T05:06:07Z"))
    #expect(subscribed.consents.map(\.consent.clientAddress) == ["192.0.2.0"])
    let left = try person(Self.mailchimp + ",UNSUB_TIME", "ana@example.com,2,,,,1,2022-01-01")
    #expect(left.membership.state == .unsubscribed)
    #expect(left.leftAt == Timestamp(importing: "2022-01-01"))
    // Otherwise the purge would forget that the person has left.
    #expect(left.membership.confirmedAt == Timestamp(importing: "2022-01-01"))
    let cleaned = try person(Self.mailchimp + ",CLEAN_TIME", "ana@example.com,2,,,,1,2022-01-01")
    #expect(cleaned.membership.suppression == .hardBounce)
  }

  @Test func `a map of one column leaves the meaning of the others`() throws {
    var options = ImportMapping.Options()
    options.fields = [FormField(name: "name")]
    options.map = [.field("name"): "Vorname"]
    let columns = "Vorname,MEMBER_RATING,OPTIN_TIME,UNSUB_TIME,LEID"
    options.map[.address] = "Adresse"
    let left = try person(
      "Adresse," + columns, "ana@example.com,Ana,2,2021-03-04,2022-01-01,1", options)
    #expect(left.membership.state == .unsubscribed)
    #expect(left.fields == #"{"name":"Ana"}"#)
  }

  @Test func `listmonk's status says only who is blocked`() throws {
    let columns = "uuid,email,name,attributes,status,created_at,updated_at"
    #expect(throws: ImportError.noState(.listmonk)) {
      try person(columns, "u,ana@example.com,Ana,{},enabled,2021-03-04,")
    }
    var options = ImportMapping.Options()
    options.state = .subscribed
    let cells = "u,ana@example.com,Ana,{},enabled,2021-03-04 05:06:07 +0000 UTC,"
    #expect(try person(columns, cells, options).membership.state == .subscribed)
    let blocked = cells.replacing("enabled", with: "blocklisted")
    #expect(try person(columns, blocked, options).membership.suppression == .operator)
  }

  @Test(
    arguments: [
      (nil, false), (.pending, false), (.subscribed, false), (.unsubscribed, true),
      (.suppressed, true),
    ] as [(Subscriber.State?, Bool)]
  )
  func `a column that may say who has left is not overlooked`(
    state: Subscriber.State?, isImported: Bool
  ) {
    var statuses = StatusColumns()
    statuses.add([("email", "ana@example.com"), ("type", "unsubscribed")])
    var options = ImportMapping.Options()
    options.map = [.address: "email"]
    options.state = state
    let mapping = try? ImportMapping(["email", "type"], from: nil, statuses: statuses, options)
    #expect((mapping != nil) == isImported)
  }

  @Test func `a map names the columns of any other file`() throws {
    var options = ImportMapping.Options()
    options.fields = [FormField(name: "city")]
    options.map = [.address: "Mail", .state: "Zustand", .field("city"): "Ort"]
    let person = try person("Ort,Mail,Zustand", "Köln,ana@example.com,Unsubscribed", options)
    #expect(person.address.normalized == "ana@example.com")
    #expect(person.membership.state == .unsubscribed)
    #expect(person.fields == #"{"city":"Köln"}"#)
    options.map[.locale] = "Sprache"
    #expect(throws: ImportError.unknownColumn("Sprache", columns: ["Ort", "Mail", "Zustand"])) {
      try self.person("Ort,Mail,Zustand", "a,b,c", options)
    }
  }

  @Test func `a file whose columns are not known names the flags that import it`() {
    for columns in ["email,type,creation_date", "id,email,subscribed_to_emails"] {
      let error = #expect(throws: ImportError.self) { try person(columns, "a,b,c") }
      #expect(error?.description.contains("--map address=email") == true)
    }
    let error = #expect(throws: ImportError.self) { try person("Name,Ort", "a,b") }
    #expect(error == .noAddresses(columns: ["Name", "Ort"]))
    #expect(throws: ImportError.noState(.other)) { try person("email", "ana@example.com") }
  }

  @Test(
    arguments: [
      ("not-an-address,subscribed,,", "missingAt"), ("ana@example.com,active,,", "unknown-state"),
      ("ana@example.com,subscribed,4/3/2021,", "invalid-date"),
      ("ana@example.com,subscribed,,", "no-proof"),
      ("ana@a.example,subscribed,,", "specialUseDomain"),
    ]
  )
  func `a rejected row has a reason`(cells: String, reason: String) {
    var options = ImportMapping.Options()
    options.requiresProof = true
    let error = #expect(throws: ImportMapping.Rejection.self) {
      try person("email,state,created_at,confirmed_at", cells, options)
    }
    #expect(error?.reason == reason)
  }

  @Test func `a rejected address has the suggestion of the form`() {
    let error = #expect(throws: ImportMapping.Rejection.self) {
      try person("email,state", "ana@@gmial.com,subscribed")
    }
    #expect(error?.suggestion == "ana@gmail.com")
  }

  @Test(arguments: [
    "2021-03-04 05:06:07 UTC", "2021-03-04T05:06:07 GMT", "2021/03/04 05:06:07",
    "2021/3/4 5:06:07 AM", "2021/03/04 5:06:07 PM GMT+12", "2021/03/04 12:06:07 AM GMT-05:00",
    "2021-03-04 05:06:07 +0000 UTC",
  ])
  func `a time is read as other products and spreadsheets write it`(text: String) throws {
    let columns = "email,state,created_at"
    let person = try person(columns, "ana@example.com,subscribed,\(text)")
    #expect("\(person.createdAt)" == "2021-03-04T05:06:07.000Z")
  }

  @Test(arguments: [
    "4/3/2021", "04.03.2021", "04-03-2021 05:06:07", "44927", "2021/13/01", "2021/03/04 13:00 PM",
    "2021/03/04 0:06 AM", "2021-03-04 05:06:07 CET", "2021/03/04/05", "UTC", "GMT+1", "AM",
    "2027-01-17",
  ])
  func `a time that is ambiguous, or in the future, is none`(text: String) {
    #expect(throws: ImportMapping.Rejection.invalidDate) {
      try person("email,state,created_at", "ana@example.com,subscribed,\(text)")
    }
  }

  @Test(arguments: ["", "NA", "NULL", "\\N", "NaT", "None", "0000-00-00 00:00:00", "0000-00-00"])
  func `what R, Python and databases write for no date is none`(text: String) throws {
    let columns = "email,state,created_at,unsubscribed_at,locale"
    let locale = text.hasPrefix("0") ? "" : text
    let person = try person(columns, "ana@example.com,subscribed,\(text),\(text),\(locale)")
    #expect(person.createdAt == Self.now && person.leftAt == nil && person.locale == nil)
  }

  @Test func `a map says what the words of a column mean`() throws {
    var options = ImportMapping.Options()
    options.map[.state] = "Status"
    options.states = [
      "active": (.subscribed, nil), "cancelled": (.unsubscribed, nil),
      "bounced": (.suppressed, .hardBounce), "": (.pending, nil),
    ]
    let memberships = try ["Active", "cancelled", "Bounced", "", "Unsubscribed"].map {
      try person("email,Status", "ana@example.com,\($0)", options).membership
    }
    let states = memberships.map(\.state)
    #expect(states == [.subscribed, .unsubscribed, .suppressed, .pending, .unsubscribed])
    #expect(memberships[2].suppression == .hardBounce)
    #expect(throws: ImportMapping.Rejection.unknownState) {
      try person("email,Status", "ana@example.com,lapsed", options)
    }
  }

  @Test func `a suppression stays one, whatever the reason in its row`() throws {
    var options = ImportMapping.Options()
    options.map = [.state: "Status", .reason: "Why"]
    options.states = ["bounced": (.suppressed, .hardBounce), "bad": (.suppressed, nil)]
    let rows: [(cells: String, reason: Suppression?)] = [
      ("suppressed,Complaint", .complaint), ("bad, objected ", .objected), ("bad,", .operator),
      (" Bad ,spam", .operator), ("suppressed,5", .operator), ("bounced,full", .hardBounce),
      ("subscribed,asked", nil),
    ]
    for (cells, reason) in rows {
      let found = try person("email,Status,Why", "ana@example.com,\(cells)", options)
      #expect(found.membership.suppression == reason, "\(cells)")
    }
  }

  @Test func `the consent of a row has the same id whenever it is imported`() throws {
    var options = ImportMapping.Options()
    options.consentText = "Letters"
    options.file = "people.csv"
    for date in ["", "2021-03-04"] {
      let ids = try ["ana@example.com", "ANA@example.com"].map { address in
        try #require(
          try person("email,state,created_at", "\(address),subscribed,\(date)", options)
            .consents.first
        )
      }
      #expect(ids[0].id == ids[1].id)
      #expect(ids[0].kind == "imported")
      #expect(ids[0].consent.text == "Letters")
      #expect(ids[0].consent.sourceURL == "import:people.csv")
    }
  }
}
