import HTTPSignals
import HTTPTypes
import Testing

@testable import Microhttpd

/// The header field `traceparent`.
@Suite struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  @Test(
    arguments: [
      "00-\(trace)-\(span)-01", "00-\(trace)-\(span)-00", "cc-\(trace)-\(span)-01",
      "01-\(trace)-\(span)-01-", "fe-\(trace)-\(span)-ff-what-the-future-will-be-like",
    ]
  )
  func `has the ids of the trace and of the caller's span`(_ text: String) throws {
    let context = try #require(TraceContext(text))
    #expect(context.traceID == Self.trace)
    #expect(context.spanID == Self.span)
  }

  @Test(
    arguments: [
      "", "00", "00-\(trace)", "00-\(trace)-\(span)", "00-\(trace)-\(span)-",
      "-\(trace)-\(span)-01",
      "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-",
      "00-\(trace)-\(span)-01-extra", "01-\(trace)-\(span)-01extra", "00-\(trace)-\(span)-1",
      "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)0-01", " 00-\(trace)-\(span)-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
      "0X-\(trace)-\(span)-01", "00-\(trace)-\(span)-0G", "00_\(trace)_\(span)_01",
      "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
      "00-\(trace.dropLast())é-\(span)-01", "00-ada@example.org-\(span)-01",
    ]
  )
  func `is nil for a malformed field`(_ text: String) {
    #expect(TraceContext(text) == nil)
  }

  @Test func `is that of the only field`() {
    let value = "00-\(Self.trace)-\(Self.span)-01"
    #expect(TraceContext(of: FieldList()) == nil)
    #expect(TraceContext(of: [.traceParent: value]) == TraceContext(value))
    var two: FieldList = [.traceParent: value]
    two.append(.traceParent, value)
    #expect(TraceContext(of: two) == nil)
  }
}
