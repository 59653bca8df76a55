import Platform
import Testing

@Suite struct StringPrefixTests {
  @Test(
    arguments: [
      ("/executions/06gv", "/executions/", true),
      ("/executions/", "/executions/", true),
      ("/executions", "/executions/", false),
      ("/Executions/06gv", "/executions/", false),
      ("", "/", false),
      ("/", "", true),
      // As characters these are not equal to a slash.
      ("/\u{301}", "/", true),
      // As characters these two are equal.
      ("e\u{301}", "\u{E9}", false),
    ]
  )
  func `a text starts with another if the bytes are the same`(
    _ text: String, _ prefix: String, _ isPrefix: Bool
  ) {
    #expect(text.starts(withBytesOf: prefix) == isPrefix)
  }
}
