import MailingList
import Testing

@Suite struct FormFieldTests {
  @Test func `a list names fields, and marks those that are required`() {
    let fields = FormField.list("name*,company_2,city")
    #expect(fields?.map(\.name) == ["name", "company_2", "city"])
    #expect(fields?.map(\.isRequired) == [true, false, false])
  }

  @Test(
    arguments: [
      "", "*", "name,", "name,name", "name,name*", "Name", "näme", "2nd", "_a", "a-b", "a b",
      "email", "state", "unsubscribe_url", "fields", "mails", "suppressed_at",
      "a,b,c,d,e,f,g,h,i", String(repeating: "a", count: 33),
    ]
  )
  func `a list with an invalid, reserved or repeated name, or too many, is rejected`(text: String) {
    #expect(FormField.list(text) == nil)
  }
}
