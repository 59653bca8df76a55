import MailingList
import Testing

@Suite struct RowPartTests {
  /// Makes a part of the table with the secret.
  private func part(_ rows: [(Int32, [UInt8]?)]) -> RowPart {
    var part = RowPart(of: .secret)
    for (id, bytes) in rows {
      part.append(id)
      if let bytes { bytes.withUnsafeBytes { part.append($0) } } else { part.appendNull() }
      part.endRow()
    }
    return part
  }

  @Test func `fields are read as they were written`() throws {
    let part = part([(1, [2, 3]), (-1, nil), (7, [])])
    try part.bytes.withUnsafeBytes { bytes in
      var fields = RowFields(bytes)
      var found: [[UInt8]?] = []
      while !fields.isEmpty { found.append(try fields.next().map { Array($0) }) }
      #expect(found == [[0, 0, 0, 1], [2, 3], [255, 255, 255, 255], nil, [0, 0, 0, 7], []])
    }
    #expect(part.lastKey == [0, 0, 0, 4, 0, 0, 0, 7])
    #expect(part.sum.count == 3)
  }

  @Test func `bytes that are no fields are rejected`() {
    for bytes: [UInt8] in [[0], [0, 0, 0, 2, 1], [255, 255, 255, 254], [127, 255, 255, 255, 0]] {
      #expect(throws: StoreError.damaged) {
        try bytes.withUnsafeBytes { bytes in
          var fields = RowFields(bytes)
          _ = try fields.next()
        }
      }
    }
  }

  @Test func `a sum does not depend on the order of rows, but on each of their bits`() {
    let sum = part([(1, [2, 3]), (4, nil)]).sum
    #expect(part([(4, nil), (1, [2, 3])]).sum == sum)
    var parts = part([(1, [2, 3])]).sum
    parts.add(part([(4, nil)]).sum)
    #expect(parts == sum)
    let bytes = [UInt8](0..<40)
    let whole = part([(1, bytes)]).sum
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(part([(1, changed)]).sum.hash != whole.hash)
    }
    #expect(part([(4, []), (1, [2, 3])]).sum != sum)
  }
}
