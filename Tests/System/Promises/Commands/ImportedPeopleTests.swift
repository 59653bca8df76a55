import Foundation
import TestSupport
import Testing

@Suite struct ImportedPeopleTests {
  @Test func `nobody is imported who is only mentioned in a cell`() throws {
    let long = String(repeating: "a long note\n", count: 6_000)
    let longLine = long.replacing("\n", with: " ")
    try expect([
      ImportedFile(
        "a cell that is longer than a row may be",
        text: "email,note\nana@example.com,\"\(long)mallory@example.com,x\n\"\nbea@example.com,x\n",
        "--state", "subscribed", people: ["bea@example.com,subscribed"], code: 1),
      ImportedFile(
        "a long line of a cell, with its last quote far behind",
        text: "email,note\nana@example.com,\"\(longLine)\nmallory@example.com,x\"\n", "--state",
        "subscribed", code: 1),
      ImportedFile(
        "a quote within a cell of several lines",
        text: "email,note\nana@example.com,\"he said \"no, stop\nmallory@example.com,x\nend\"\n",
        "--state", "subscribed", code: 65, says: "uncertain where the row of line 2 ends"),
      ImportedFile(
        "a quote after a blank",
        text: "email, note\nana@example.com, \"one\nmallory@example.com,x\n\"\n", "--state",
        "subscribed", code: 65, says: "uncertain where the row of line 2 ends"),
      ImportedFile(
        "a quote that is never closed",
        text: "email,note\nana@example.com,x\nbea@example.com,\"x\ncleo@example.com,x\n", "--state",
        "subscribed", code: 65, says: "uncertain where the row of line 3 ends"),
      ImportedFile(
        "a quote that is only ugly",
        text: "email,note\nana@example.com,\"Ana \"A\" B\"\nbea@example.com,5\" x\n", "--state",
        "subscribed", people: ["bea@example.com,subscribed"], code: 1),
    ])
  }

  @Test func `nobody is subscribed who left or never agreed`() throws {
    let mailchimp =
      "Email Address,MEMBER_RATING,OPTIN_TIME,LEID\nana@example.com,2,2021-03-04 05:06:07,1\n"
    let leaver =
      "Email Address,MEMBER_RATING,UNSUB_TIME,LEID\nana@example.com,2,,1\n"
    try expect([
      ImportedFile(
        "Mailchimp: subscribed", "subscribed_members_export_1.csv", text: mailchimp,
        people: ["ana@example.com,subscribed"]),
      ImportedFile(
        "Mailchimp: a copy of people who never agreed", "copy_nonsubscribed_1.csv", text: mailchimp,
        code: 65, says: "does not say who has left"),
      ImportedFile("Mailchimp: standard input", "-", text: mailchimp, code: 65, says: "--state"),
      ImportedFile(
        "Mailchimp: left without a time", "unsubscribed_1.csv", text: leaver,
        people: ["ana@example.com,unsubscribed"]),
      ImportedFile(
        "Mailchimp: left without a time, with a state", "unsubscribed_1.csv", text: leaver,
        "--state",
        "subscribed", people: ["ana@example.com,unsubscribed"]),
      ImportedFile("Mailchimp: neither name nor time", "a.csv", text: leaver, code: 1),
      ImportedFile(
        "Mailchimp: cleaned", "cleaned_1.csv", text: leaver.replacing("UNSUB", with: "CLEAN"),
        people: ["ana@example.com,suppressed"]),
      ImportedFile(
        "Buttondown",
        text: "email_address,type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", code: 65, says: "an export of Buttondown"),
      ImportedFile(
        "Buttondown, earlier",
        text: "email,subscriber_type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", code: 65, says: "an export of Buttondown"),
      ImportedFile(
        "Buttondown, with a map",
        text: "email_address,type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", "--map", "created_at=creation_date", code: 65,
        says: "column type may say who has left (unsubscribed: 1)"),
      ImportedFile(
        "Ghost, with a map",
        text: "id,email,subscribed_to_emails\n1,ana@example.com,true\n2,bea@example.com,false\n",
        "--state", "subscribed", "--map", "address=email", code: 65,
        says: "column subscribed_to_emails may say who has left (false: 1, true: 1)"),
      ImportedFile(
        "Ghost, one kind",
        text: "id,email,subscribed_to_emails\n1,ana@example.com,true\n2,bea@example.com,true\n",
        "--state", "subscribed", "--map", "address=email",
        people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "one value, and a row that is too short",
        text: "email,status\nana@example.com,active\nbea@example.com\n", "--state", "subscribed",
        people: ["ana@example.com,subscribed"], code: 1),
      ImportedFile(
        "a column of a status",
        text: "email,status\nana@example.com,active\nbea@example.com,bounced\n", "--state",
        "subscribed", code: 65, says: "column status may say who has left (active: 1, bounced: 1)"),
      ImportedFile(
        "the advice when nothing says the state",
        text: "email,Subscription Status\nana@example.com,1\nbea@example.com,0\n", code: 65,
        says: "--ignore 'Subscription Status'"),
      ImportedFile(
        "a column for those who are blocked",
        text: "email;blacklisted\nana@example.com;0\nbea@example.com;1\n", "--state", "pending",
        code: 65, says: "column blacklisted"),
      ImportedFile(
        "a status that says nothing",
        text: "email,type\nana@example.com,company\nbea@example.com,person\n", "--state",
        "subscribed", "--ignore", "type",
        people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "who has left, in German",
        text:
          "E-Mail;Zustand;Abgemeldet am\nana@example.com;aktiv;\nbea@example.com;abgemeldet;4.3.21\n",
        "--state", "subscribed", code: 65,
        says: "columns Abgemeldet am (nothing: 1, 4.3.21: 1), Zustand (abgemeldet: 1, aktiv: 1) may"
      ),
      ImportedFile(
        "who has left, in French",
        text: "Email,Désabonné le\nana@example.com,\nbea@example.com,2021-03-04\n", "--state",
        "subscribed", code: 65, says: "add --map unsubscribed_at='Désabonné le', or import"),
      ImportedFile(
        "who has left, in Spanish",
        text: "Email,Fecha de baja\nana@example.com,\nbea@example.com,2021-03-04\n", "--state",
        "subscribed", code: 65, says: "add --map unsubscribed_at='Fecha de baja', or import"),
      ImportedFile(
        "who has left, in Chinese",
        text: "Email,退订\nana@example.com,\nbea@example.com,是\n", "--state", "subscribed", code: 65,
        says: "column 退订 may say who has left (nothing: 1, 是: 1)"),
      ImportedFile(
        "a cell that says it in a column that does not",
        text: "Email,Notiz\nana@example.com,\nbea@example.com,abgemeldet\n", "--state",
        "subscribed",
        code: 65, says: "column Notiz may say who has left (abgemeldet: 1)"),
      ImportedFile(
        "what says nothing about mail",
        text: """
          Email,Opt-in IP,SMS_BLOCKLISTED,Optin date
          ana@example.com,192.0.2.1,true,2021-03-04
          bea@example.com,192.0.2.2,false,2021-03-05

          """,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "a date of leaving after that of joining, whatever the state",
        text: """
          Email,Status,Joined,Left
          ana@example.com,active,2023-01-01,2024-01-01
          bea@example.com,active,2023-01-01,2022-01-01

          """,
        "--map", "state=Status,active=subscribed", "--map", "created_at=Joined", "--map",
        "unsubscribed_at=Left",
        people: ["ana@example.com,unsubscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "a second row without a date, of who has left",
        text: "email,state\nana@example.com,active\nAna@example.com,cancelled\n", "--map",
        "state=state,active=subscribed,cancelled=unsubscribed",
        people: ["ana@example.com,unsubscribed"]),
      ImportedFile(
        "people who never agreed", "nonsubscribed_1.csv", text: leaver, "--state", "subscribed",
        code: 65, says: "these people never agreed to any mail"),
      ImportedFile(
        "a cell with an apostrophe of ours",
        text: "email,name\nana@example.com,'+49 30\n", "--state", "subscribed", code: 65,
        says: "line 2 has a cell that begins with an apostrophe"),
      ImportedFile(
        "a row that is rejected, from standard input", "-",
        text: "email\nAna <ana@example.com>\n", "--state", "subscribed", code: 1,
        says: "rejected 1 row, the first in line 2: "),
      ImportedFile(
        "a line break in a field of who has left",
        text: "email,state,name\nana@example.com,unsubscribed,\"A\nna\"\n", "--fields", "name",
        people: ["ana@example.com,unsubscribed"]),
      ImportedFile(
        "a date of leaving",
        text: "email,unsubscribed_at\nana@example.com,\nbea@example.com,2021-03-04\n", "--state",
        "subscribed", people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
    ])
  }

  @Test func `files of other products are imported whole with a map`() throws {
    try expect([
      ImportedFile(
        "Buttondown",
        text: """
          email_address,type,notes,creation_date
          ana@example.com,regular,,2021-03-04 05:06:07.123456+00:00
          bea@example.com,unsubscribed,,2021-03-04 05:06:07.123456+00:00
          cleo@example.com,churned,,2021-03-04 05:06:07.123456+00:00

          """,
        "--map", "address=email_address", "--map", "created_at=creation_date", "--map",
        "state=type,regular=subscribed,unsubscribed=unsubscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"], code: 1),
      ImportedFile(
        "Substack",
        text: """
          email,active_subscription,expiry,email_disabled,created_at
          ana@example.com,false,,false,2021-03-04T05:06:07.123Z
          bea@example.com,true,2022-03-04T05:06:07.123Z,true,2021-03-04T05:06:07.123Z

          """,
        "--map", "state=email_disabled,false=subscribed,true=unsubscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "beehiiv, with the name of UTC",
        text: """
          email,status,created_at,unsubscribed_at
          ana@example.com,active,2021-03-04 05:06:07 UTC,
          bea@example.com,inactive,2021-03-04 05:06:07 UTC,2022-03-04 05:06:07 UTC
          cleo@example.com,invalid,2021-03-04 05:06:07 UTC,

          """,
        "--map", "state=status,active=subscribed,inactive=unsubscribed,invalid=hard_bounce",
        people: [
          "ana@example.com,subscribed", "bea@example.com,unsubscribed",
          "cleo@example.com,suppressed",
        ]),
      ImportedFile(
        "Kit, whose state is not ours", text: Self.kit, "--state", "subscribed", code: 65,
        says: "column state may say who has left (active: 1, cancelled: 1): add --map state=state,"),
      ImportedFile(
        "Kit, with a map", text: Self.kit, "--map",
        "state=state,active=subscribed,cancelled=unsubscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "Brevo",
        text: """
          "CONTACT ID";"EMAIL";"LASTNAME";"EMAIL_BLOCKLISTED";"SMS_BLOCKLISTED"
          1;ana@example.com;"Meier, geb. Graf";false;false
          2;bea@example.com;X;true;false

          """,
        "--map", "state=EMAIL_BLOCKLISTED,false=subscribed,true=unsubscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "MailPoet, with the state in two columns",
        text: """
          Email,List,"Global status","Subscription status"
          ana@example.com,News,subscribed,subscribed
          bea@example.com,News,bounced,subscribed

          """,
        "--map", "state=Subscription status", code: 65,
        says: "column Global status may say who has left (bounced: 1, subscribed: 1)"),
      ImportedFile(
        "Google Forms",
        text: """
          "Timestamp","Your address, please","Letters?"
          "2021/03/04 3:04:05 PM GMT+1","ana@example.com","Yes"
          "2021/03/04 11:04:05 AM GMT+1","bea@example.com","No, thanks"

          """,
        "--map", "address=Your address, please", "--map", "created_at=Timestamp", "--map",
        "state=Letters?,yes=subscribed", "--require-proof", people: ["ana@example.com,subscribed"],
        code: 1),
      ImportedFile(
        "a state of the United States, which is said", text: Self.americans, "--state",
        "subscribed", "--ignore", "state", people: ["ana@example.com,subscribed"],
        says: "reading email as address; leaving out state"),
      ImportedFile(
        "so many states that they are none of a list",
        text: "email,state\n" + (10..<40).map { "a\($0)@example.com,S\($0)\n" }.joined(), "--state",
        "subscribed", people: (10..<40).map { "a\($0)@example.com,subscribed" },
        says: "leaving out state"),
      ImportedFile(
        "one state, which is none of a list", text: Self.americans, "--state", "subscribed",
        people: ["ana@example.com,subscribed"], says: "leaving out state"),
    ])
  }

  private static let kit = """
    id,first_name,email,state,created_at
    1,Ana,ana@example.com,active,2021-03-04 05:06:07 UTC
    2,Bea,bea@example.com,cancelled,2021-03-04 05:06:07 UTC

    """
  private static let americans = "email,state\nana@example.com,NY\n"

  @Test func `who leaves with a second row may come back`() throws {
    let service = try Enlist(.mail)
    try service.folder.write(
      "email,state\nana@example.com,subscribed\nana@example.com,unsubscribed\n", to: "people")
    let run = try service.run("import", "people")
    #expect(run.output.contains(#""new":1,"changed":1"#), "\(run)")
    let left = try service.run("export").output
    let tomorrow = Date.now.addingTimeInterval(86_400).ISO8601Format()
    let date = left.split(separator: ",").suffix(2).first.map(String.init) ?? ""
    #expect(!date.isEmpty && date < tomorrow, "\(left)")
    try service.signUp("ana@example.com").expect(202)
    _ = try service.mail(to: "ana@example.com")
  }

  @Test func `a suppression with a foreign reason is imported, and said`() throws {
    let service = try Enlist()
    let rows = [
      "a@example.com,suppressed,spam", "b@example.com, Suppressed ,Complaint",
      "c@example.com,bounced,mailbox full", "d@example.com,subscribed,asked",
    ]
    try service.folder.write(
      "email,state,why\n" + rows.map { "\($0)\n" }.joined(), to: "list")
    let map = ["address=email", "reason=why", "state=state,bounced=hard_bounce"]
    let run = try Child.run(
      ["enlist", "import", "list"] + map.flatMap { ["--map", $0] }, in: service.folder)
    #expect(run.errors.contains("1 suppression has a reason other than"), "\(run)")
    let people = try Child.run(["enlist", "export"], in: service.folder).output
    for reason in ["operator", "complaint", "hard_bounce"] {
      #expect(people.contains(",\(reason)"), "\(people)")
    }
  }

  @Test func `who stays subscribed though the file says that they left is counted`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let before = try service.people()
    try service.folder.write("email\nana@example.com\n", to: "left")
    for flags in [["--dry-run"], []] {
      let run = try Child.run(
        ["enlist", "import", "left", "--state", "unsubscribed"] + flags, in: service.folder)
      #expect(run.output.contains(#""known":0,"kept":1,"rejected":0"#), "\(run)")
      #expect(run.errors.contains("1 person stays subscribed though"), "\(run)")
    }
    let after = try service.people()
    #expect(after == before)
    let date = "\(Date.now.addingTimeInterval(3_600).ISO8601Format())"
    try service.folder.write("email,unsubscribed_at\nana@example.com,\(date)\n", to: "left")
    let run = try service.run("import", "left", "--state", "unsubscribed")
    #expect(run.output.contains(#""changed":1,"known":0,"kept":0"#), "\(run)")
    let again = try service.run("import", "left", "--state", "unsubscribed")
    #expect(again.output.contains(#""changed":0,"known":1,"kept":0"#), "\(again)")
  }

  @Test func `every member of an object counts, whichever line begins with it`() throws {
    try expect([
      ImportedFile(
        "a member that the first line lacks",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","state":"unsubscribed"}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "a member that is written in another way",
        text: #"""
          {"email":"ana@example.com","State":"subscribed"}
          {"email":"bea@example.com","state":"unsubscribed"}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "a date that is not a text",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","unsubscribed_at":{"$date":"2021-03-04T00:00:00Z"}}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed"], code: 1),
      ImportedFile(
        "a status in a later line, from a pipe",
        "|",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","active":false}

          """#,
        "--state",
        "subscribed",
        code: 65,
        says: "column active may say who has left (nothing: 1, false: 1)"
      ),
    ])
  }
}
