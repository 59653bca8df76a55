internal import Platform
package import HTTPTypes

/// The header fields of a request or a response, or the name-value pairs of a query.
///
/// A request has a handful of fields, of which the service uses one or two, and the transport sends
/// those of a response as C strings. So a list is one buffer, which is one allocation for any usual
/// number of fields: a value becomes a `String` only when it is requested, and each name and value
/// is followed by a NUL.
///
/// ```swift
/// var fields: FieldList = [.contentType: "application/json"]
/// fields.append(.location, "/executions/", "06gv")
/// let location = fields[.location]  // "/executions/06gv"
/// ```
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

  /// Creates an empty list; allocates nothing.
  package init() {}

  /// The total length of all names and values, in bytes.
  package var byteCount: Int { storage.count - textStart - 2 * count }

  private var textStart: Int { recordCapacity * Record.byteCount }

  // MARK: Building

  /// Appends a field as received.
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
    endField(nameEnd: nameEnd)
  }

  /// Appends a field, whose value may be in parts, which saves the caller the allocation of the
  /// whole.
  ///
  /// The transport does not send a value with a line break.
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
    endField(nameEnd: nameEnd)
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
    let removed = name.canonicalName
    forEachField { name, value in
      if !Self.areEqual(name, removed) {
        others.append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
      }
      return true
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

  /// Writes the record of the field whose name and value have been appended.
  private mutating func endField(nameEnd: Int) {
    let record = Record(
      nameEnd: Int32(truncatingIfNeeded: nameEnd - textStart),
      end: Int32(truncatingIfNeeded: storage.count - 1 - textStart))
    let offset = count * Record.byteCount
    storage.withUnsafeMutableBytes {
      $0.storeBytes(of: record, toByteOffset: offset, as: Record.self)
    }
    count += 1
  }

  // MARK: Reading

  /// The fields as strings, in their order, with ill-formed UTF-8 replaced by U+FFFD.
  package var pairs: [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    forEachField { name, value in
      pairs.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
      return true
    }
    return pairs
  }

  /// Calls a closure with each field as C strings, in their order.
  ///
  /// The strings are valid during the call; a NUL in a received value ends it.
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
  static func areEqual(_ name: UnsafeBufferPointer<UInt8>, _ lowercased: String) -> Bool {
    var lowercased = lowercased
    return lowercased.withUTF8 { areEqual(name, $0) }
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
