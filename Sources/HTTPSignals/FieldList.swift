package import HTTPTypes
internal import Platform

/// The header fields of a request or a response, or the name-value pairs of a query.
///
/// A request has a handful of fields, of which the service uses one or two, and the transport sends
/// those of a response as C strings. So a list is one buffer, which is one allocation for any usual
/// number of fields: a value becomes a `String` only when it is requested, and each name and value
/// is followed by a NUL.
package struct FieldList: Sendable {
  /// The ends of a field's name and value, as offsets into the text.
  private struct Record {
    static let byteCount = MemoryLayout<Record>.stride
    var nameEnd: Int32
    var end: Int32
  }

  /// Room for `recordCapacity` records, then the text: all names and values, each with a NUL.
  private var storage: [UInt8] = []
  private var recordCapacity = 0
  package private(set) var count = 0
  /// A bit for each length of a name, modulo 64.
  ///
  /// Most of the twenty names for which a request is searched are missing, and their lengths, too:
  /// that was a fiftieth of the instructions of a rejection.
  private var nameLengths: UInt64 = 0

  package init() {}

  /// The total length of all names and values, in bytes.
  package var byteCount: Int { storage.count - textStart - 2 * count }

  private var textStart: Int { recordCapacity * Record.byteCount }

  // MARK: Building

  package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    reserveRecord(initially: 16, textBytes: 512)
    let nameEnd = storage.count + name.count
    // One append, because an array checks its capacity and its uniqueness each time.
    storage.append(addingCapacity: name.count + value.count + 2) { text in
      text.withUnsafeMutableBufferPointer { text, count in
        let text = UnsafeMutableRawBufferPointer(text)
        text.copyMemory(from: name)
        text[name.count] = 0
        UnsafeMutableRawBufferPointer(rebasing: text[(name.count + 1)...]).copyMemory(from: value)
        count = name.count + value.count + 2
        text[count - 1] = 0
      }
    }
    endField(nameEnd: nameEnd, nameByteCount: name.count)
  }

  /// Appends a field, whose value may be in parts; one with a line break is not sent.
  package mutating func append(
    _ name: HTTPField.Name, _ value: String, _ second: String = "", _ third: String = ""
  ) {
    // Enough for every response to a program: its fields are allocated once.
    reserveRecord(initially: 8, textBytes: 320)
    let nameByteCount = name.rawName.utf8.count
    let valueByteCount = value.utf8.count + second.utf8.count + third.utf8.count
    let nameEnd = storage.count + nameByteCount
    // One append, as above.
    storage.append(addingCapacity: nameByteCount + valueByteCount + 2) { text in
      text.withUnsafeMutableBufferPointer { text, count in
        Self.append(name.rawName, to: text, &count)
        text[count] = 0
        count += 1
        Self.append(value, to: text, &count)
        Self.append(second, to: text, &count)
        Self.append(third, to: text, &count)
        text[count] = 0
        count += 1
      }
    }
    endField(nameEnd: nameEnd, nameByteCount: nameByteCount)
  }

  package mutating func append(contentsOf others: FieldList) {
    others.forEachField { name, value in
      append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
      return true
    }
  }

  /// The first value of a name; setting it replaces all values of the name.
  package subscript(name: HTTPField.Name) -> String? {
    get { first(name) }
    set {
      if count(of: name) > 0 { removeAll(name) }
      if let newValue { append(name, newValue) }
    }
  }

  /// Copies the other fields: only a field that is set twice is ever removed.
  private mutating func removeAll(_ name: HTTPField.Name) {
    var others = FieldList()
    var removed = name.canonicalName
    removed.withUTF8 { removed in
      forEachField { name, value in
        if !Self.areEqual(name, removed) {
          others.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
        }
        return true
      }
    }
    self = others
  }

  /// Copies the UTF-8 of a part after the first `count` bytes of a buffer, and adds its length to
  /// `count`.
  private static func append(
    _ part: String, to buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) {
    // Most values have one part.
    guard !part.isEmpty else { return }
    var part = part
    count += part.withUTF8 { utf8 in
      UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        .copyMemory(from: UnsafeRawBufferPointer(utf8))
      return utf8.count
    }
  }

  /// Makes room for one more record; the first one allocates the buffer.
  private mutating func reserveRecord(initially capacity: Int, textBytes: Int) {
    if recordCapacity == 0 {
      recordCapacity = capacity
      // Not `init(unsafeUninitializedCapacity:)`, which looks up the type of the buffer each time,
      // and not `repeatElement`, which is appended byte by byte.
      let recordBytes = textStart
      storage.append(addingCapacity: recordBytes + textBytes) { records in
        records.withUnsafeMutableBufferPointer { records, count in
          records[..<recordBytes].initialize(repeating: 0)
          count = recordBytes
        }
      }
    } else if count == recordCapacity {
      // Offsets are relative to the text, so moving it changes none of them.
      storage.insert(contentsOf: repeatElement(0, count: textStart), at: textStart)
      recordCapacity *= 2
    }
  }

  private mutating func endField(nameEnd: Int, nameByteCount: Int) {
    let record = Record(
      nameEnd: Int32(truncatingIfNeeded: nameEnd - textStart),
      end: Int32(truncatingIfNeeded: storage.count - 1 - textStart))
    let offset = count * Record.byteCount
    storage.withUnsafeMutableBytes {
      $0.storeBytes(of: record, toByteOffset: offset, as: Record.self)
    }
    count += 1
    nameLengths |= Self.bit(ofLength: nameByteCount)
  }

  private static func bit(ofLength byteCount: Int) -> UInt64 { 1 << UInt64(byteCount & 63) }

  // MARK: Reading

  // In all strings, ill-formed UTF-8 is replaced by U+FFFD.

  package var pairs: [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    forEachField { name, value in
      pairs.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
      return true
    }
    return pairs
  }

  /// Calls a closure with each field as C strings; a NUL in a received value ends it.
  package func forEachCString(
    _ body: (_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Void
  ) {
    forEachField { name, value in
      name.withMemoryRebound(to: CChar.self) { name in
        value.withMemoryRebound(to: CChar.self) { value in
          if let name = name.baseAddress, let value = value.baseAddress { body(name, value) }
        }
      }
      return true
    }
  }

  /// Calls `body` with the name and the value of each field, until it returns `false`.
  ///
  /// It iterates over an unsafe buffer, because a request is searched for twenty names, and array
  /// slices would be retained and released for each field that does not match.
  // Inlined, because otherwise the context of `body` would be allocated or retained for each
  // search.
  @inline(__always)
  func forEachField(
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    storage.withUnsafeBufferPointer { storage in
      guard let base = storage.baseAddress else { return }
      let text = base + textStart
      var start = 0
      for index in 0..<count {
        let record = UnsafeRawPointer(base)
          .loadUnaligned(fromByteOffset: index * Record.byteCount, as: Record.self)
        let nameEnd = Int(record.nameEnd)
        let end = Int(record.end)
        let name = UnsafeBufferPointer(start: text + start, count: nameEnd - start)
        let value = UnsafeBufferPointer(start: text + nameEnd + 1, count: end - nameEnd - 1)
        guard body(name, value) else { return }
        start = end + 1
      }
    }
  }

  /// Returns whether a name equals another in lower case; ASCII letters match in either case.
  @inline(__always)
  static func areEqual(
    _ name: UnsafeBufferPointer<UInt8>, _ lowercased: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    name.count == lowercased.count
      && zip(name, lowercased).allSatisfy { left, right in
        left == right || left.asciiLowercased == right
      }
  }
}

extension FieldList: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral fields: (HTTPField.Name, String)...) {
    for (name, value) in fields { append(name, value) }
  }
}

// MARK: Look-ups

// ASCII letters of names match in either case.

extension FieldList {
  package func values(of name: HTTPField.Name) -> [String] {
    var values: [String] = []
    search(name) { value in
      values.append(String(decoding: value, as: UTF8.self))
      return true
    }
    return values
  }

  package func first(_ name: HTTPField.Name) -> String? {
    var first: String?
    search(name) { value in
      first = String(decoding: value, as: UTF8.self)
      return false
    }
    return first
  }

  /// Returns whether the first value of a name equals a text, byte by byte; creates no `String`.
  package func first(_ name: HTTPField.Name, is text: StaticString) -> Bool {
    var isEqual = false
    search(name) { value in
      isEqual = text.withUTF8Buffer { text in
        value.count == text.count && zip(value, text).allSatisfy(==)
      }
      return false
    }
    return isEqual
  }

  package func count(of name: HTTPField.Name) -> Int {
    var count = 0
    search(name) { _ in
      count += 1
      return true
    }
    return count
  }

  /// Returns whether the comma-separated values of a name contain a member (RFC 9110 §5.6.1).
  ///
  /// ASCII letters match in either case, and the parameters of a member are ignored. The search
  /// creates no `String`, and checks at most 32 members of each value.
  package func list(_ name: HTTPField.Name, contains member: StaticString) -> Bool {
    var isFound = false
    search(name) { value in
      isFound = member.withUTF8Buffer { Self.list(value, contains: $0) }
      return !isFound
    }
    return isFound
  }

  private static func list(
    _ value: UnsafeBufferPointer<UInt8>, contains member: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var rest = value[...]
    for _ in 0..<32 {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
      let candidate = rest[..<end]
      if candidate.count >= member.count,
        zip(candidate, member).allSatisfy({ left, right in
          left == right || left.asciiLowercased == right
        })
      {
        // Only white space or parameters may follow.
        let next = candidate.dropFirst(member.count).first { $0 != 0x20 && $0 != 0x09 }
        if next == nil || next == UInt8(ascii: ";") { return true }
      }
      guard end < rest.endIndex else { return false }
      rest = rest[(end + 1)...]
    }
    return false
  }

  /// Calls `body` with each value of a name, until it returns `false`.
  // Inlined for the same reason as `forEachField`.
  @inline(__always)
  private func search(_ name: HTTPField.Name, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
    var wanted = name.canonicalName
    guard nameLengths & Self.bit(ofLength: wanted.utf8.count) != 0 else { return }
    wanted.withUTF8 { wanted in
      forEachField { name, value in Self.areEqual(name, wanted) ? body(value) : true }
    }
  }

  // MARK: Names

  /// Whether every name is a token (RFC 9110 §5.6.2), as header field names must be.
  package var namesAreTokens: Bool {
    var areTokens = true
    forEachField { name, _ in
      areTokens = !name.isEmpty && name.allSatisfy(Self.isTokenByte)
      return areTokens
    }
    return areTokens
  }

  /// Returns whether a token may contain a byte (RFC 9110 §5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    // Bit masks are fast enough for a name of 8 KiB.
    let mask = byte < 64 ? tokenBytesBelow64 : byte < 128 ? tokenBytesFrom64 : 0
    return mask >> UInt64(byte & 63) & 1 == 1
  }

  /// `!#$%&'*+-.` and digits.
  private static var tokenBytesBelow64: UInt64 { 0x03FF_6CFA_0000_0000 }
  /// Letters, `^_`, `` ` ``, `|` and `~`.
  private static var tokenBytesFrom64: UInt64 { 0x57FF_FFFF_C7FF_FFFE }
}

// The names that HTTPTypes lacks. Those of requests are in lower case: then the name is also the
// key of a lookup, and neither is allocated.

extension HTTPField.Name {
  /// Creates the name in a literal, which must be a token (RFC 9110 §5.6.2).
  package init(literal name: String) {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a token") }
    self = name
  }

  /// `Accept-Post` (RFC 9110 §15.5.16, Linked Data Platform 1.0 §7.1).
  package static let acceptPost = HTTPField.Name(literal: "Accept-Post")
  /// `Access-Control-Request-Headers` (Fetch Standard §3.3.2).
  package static let requestedHeaders = HTTPField.Name(literal: "access-control-request-headers")
  /// `Cross-Origin-Opener-Policy` (HTML Living Standard §7.1.3).
  package static let crossOriginOpenerPolicy = HTTPField.Name(literal: "Cross-Origin-Opener-Policy")
  /// `Forwarded` (RFC 7239 §4).
  package static let forwarded = HTTPField.Name(literal: "forwarded")
  /// `Host` (RFC 9110 §7.2); HTTPTypes has it as a part of the request instead.
  package static let hostField = HTTPField.Name(literal: "host")
  /// `Last-Event-ID` (HTML Living Standard §9.2.4).
  package static let lastEventID = HTTPField.Name(literal: "last-event-id")
  /// `Link` (RFC 8288 §3).
  package static let link = HTTPField.Name(literal: "Link")
  /// `Prefer` (RFC 7240 §2).
  package static let prefer = HTTPField.Name(literal: "prefer")
  /// `Preference-Applied` (RFC 7240 §3).
  package static let preferenceApplied = HTTPField.Name(literal: "Preference-Applied")
  /// `Referrer-Policy` (Referrer Policy §4.1).
  package static let referrerPolicy = HTTPField.Name(literal: "Referrer-Policy")
  /// `Sec-Fetch-Mode` (Fetch Metadata Request Headers §2.2).
  package static let secFetchMode = HTTPField.Name(literal: "sec-fetch-mode")
  /// `Sec-Fetch-Site` (Fetch Metadata Request Headers §2.3).
  package static let secFetchSite = HTTPField.Name(literal: "sec-fetch-site")
  /// `traceparent` (W3C Trace Context §3.2).
  package static let traceParent = HTTPField.Name(literal: "traceparent")
  /// `X-Accel-Buffering`, with which a response disables the buffer of nginx.
  package static let xAccelBuffering = HTTPField.Name(literal: "X-Accel-Buffering")
  /// `X-Forwarded-For`, which names the client and the proxies before the last one.
  package static let xForwardedFor = HTTPField.Name(literal: "x-forwarded-for")
  /// `X-Forwarded-Host`, which names the host that the client requested.
  package static let xForwardedHost = HTTPField.Name(literal: "x-forwarded-host")
  /// `X-Robots-Tag`, with which a page excludes itself from search engines.
  package static let xRobotsTag = HTTPField.Name(literal: "X-Robots-Tag")
}
