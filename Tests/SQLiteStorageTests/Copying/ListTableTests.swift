import MailingList
import Testing

@Suite struct ListTableTests {
  @Test func `a copy has the position of the tallies only together with the log`() {
    let names = ListTable.all.map(\.name)
    #expect(names.contains("tallies"))
    #expect(names.contains("consumers") == names.contains("events"))
  }
}
