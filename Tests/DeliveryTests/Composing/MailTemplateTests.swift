import Testing

@testable import Delivery

/// The tags of templates.
@Suite struct MailTemplateTests {
  private static let values = ["a": "A & <b>\"'", "b": "B", "none": "", "text.hello": "Hello"]

  private func render(
    _ source: String, _ format: MailTemplate.Format = .text
  ) throws(TemplateError) -> String {
    var error: TemplateError?
    let template = try MailTemplate(source, file: "file", format: format)
    let result = template.render(Self.values, &error)
    if let error { throw error }
    return result
  }

  private func error(_ source: String) -> String? {
    do throws(TemplateError) {
      _ = try render(source)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    arguments: [
      ("", ""),
      ("no tag { } }} {\n", "no tag { } }} {\n"),
      ("{{b}}{{b}} {{none}}é", "BB é"),
      ("{{ b }} {{\tb\n}}", "B B"),
      ("{{text.hello}}", "Hello"),
      ("{{! b }}{{!}}x{{!\n{ #b }\n}}y", "xy"),
    ]
  )
  func `a tag is replaced by the value of its name`(source: String, result: String) throws {
    #expect(try render(source) == result)
  }

  @Test func `values are escaped in HTML, except with three braces or an ampersand`() throws {
    #expect(try render("{{a}}", .html) == "A &amp; &lt;b&gt;&quot;&#39;")
    #expect(try render("{{{a}}} {{{ a }}} {{&a}} {{& a}}", .html).contains("&amp;") == false)
    #expect(try render("{{a}} {{{a}}} {{&a}}") == "A & <b>\"' A & <b>\"' A & <b>\"'")
    #expect(try render("<{{b}}>&\u{301}", .html) == "<B>&\u{301}")
  }

  @Test func `a value is not a template`() throws {
    var error: TemplateError?
    let template = try MailTemplate("{{a}}", file: "file", format: .text)
    #expect(template.render(["a": "{{b}}{{#c}}"], &error) == "{{b}}{{#c}}")
    #expect(error == nil)
  }

  @Test(
    arguments: [
      ("{{#b}}x{{/b}}{{^b}}y{{/b}}", "x"),
      ("{{#none}}x{{/none}}{{^none}}y{{/none}}", "y"),
      ("{{# b }}<{{.}}{{#a}}|{{/a}}{{.}}>{{/ b }}", "<B|B>"),
      ("{{#b}}{{^none}}{{.}}{{#text.hello}}{{.}}{{/text.hello}}{{/none}}{{/b}}", "BHello"),
      ("{{#none}}{{#b}}{{b}}{{/b}}{{unknown}}{{/none}}{{b}}", "B"),
      ("{{#b}}{{#b}}1{{/b}}2{{/b}}3", "123"),
    ]
  )
  func `a section is shown if its value is not empty, an inverted one if it is`(
    source: String, result: String
  ) throws {
    #expect(try render(source) == result)
  }

  @Test(
    arguments: [
      ("1\n{{#b}}\n2\n{{/b}}\n3", "1\n2\n3"),
      ("1\r\n{{#b}}\r\n2\r\n{{/b}}\r\n3", "1\n2\n3"),
      ("1\n \t{{#b}} \n 2\n\t{{/b}}\t", "1\n 2\n"),
      ("{{^none}}\n\n1\n\n{{/none}}\n", "\n1\n\n"),
      ("{{#b}}\n{{#a}}\n{{/a}}\n{{/b}}", ""),
      ("  {{! a\nb }}  \n1\n  {{!c}}", "1\n"),
      ("  {{!c}} 1\n 2 {{!c}}\n", "   1\n 2 \n"),
      ("  {{b}}  \n {{{b}}}\n{{&b}}\n", "  B  \n B\nB\n"),
      (" {{#b}}{{/b}} \n", "  \n"),
      (" {{#b}}1\n{{/b}}\n 2", " 1\n 2"),
      ("{{#b}}\n1{{/b}} {{#b}}\n2\n  {{/b}}\n  ", "1 \n2\n  "),
      ("1{{#b}}\n{{/b}}\n", "1\n"),
    ]
  )
  func `a line with nothing but a section's tag or a comment disappears`(
    source: String, result: String
  ) throws {
    #expect(try render(source) == result)
  }

  @Test(
    arguments: [
      ("é\n {{> other}}", "file:2:2: partials are not supported"),
      ("{{<other}}{{/other}}", "file:1:1: partials are not supported"),
      ("{{=<% %>=}}", "file:1:1: other delimiters are not supported"),
      ("{{$b}}{{/b}}", "file:1:1: blocks are not supported"),
      ("{{% CONTENT_TYPE: HTML }}", "file:1:1: pragmas are not supported"),
      ("1\r\né{{b", "file:2:2: tag is not closed"),
      ("{{{b}}", "file:1:1: tag is not closed"),
      ("{{! b", "file:1:1: tag is not closed"),
      ("{{", "file:1:1: tag is not closed"),
      ("{{}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{#}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{a b}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{ #b}}{{/b}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{a\n{{b}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{uppercase(a)}}", "file:1:1: the name is invalid, or the tag is not closed"),
      ("{{^b}}{{.}}{{/b}}", "file:1:7: no section is open"),
      ("{{#b}}\n", "file:2:1: section is not closed"),
      ("{{/b}}", "file:1:4: the name differs from that of the open section"),
      ("{{#a}}{{#b}}\n{{/a}}", "file:2:4: the name differs from that of the open section"),
      ("{{b}}\né {{c}} {{d}}", "file:2:3: unknown name c"),
      ("{{#c}}{{/c}}", "file:1:1: unknown name c"),
      ("{{^c}}{{/c}}", "file:1:1: unknown name c"),
      ("{{b.c}}", "file:1:1: unknown name b.c"),
    ]
  )
  func `an error names the file, the line and the column`(source: String, message: String) {
    #expect(error(source) == message)
  }
}
