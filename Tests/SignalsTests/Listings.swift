import Foundation
import Testing

/// Expects that a page shows only code of a file, and the output that the file expects.
///
/// - Parameters:
///   - page: The name of the page in `Signals.docc`.
///   - count: The number of its listings.
///   - path: The file, such as one with tests.
func expectListings(of page: String, count: Int, in path: String) throws {
  func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }
  let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Signals/Signals.docc/\(page)")
  let code = try String(contentsOf: URL(filePath: path), encoding: .utf8)
  let source = lines(code).joined(separator: "\n")
  let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
  // Between the fences every second part is code.
  let listings = blocks.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  #expect(listings.count == count)
  for listing in listings {
    let all = lines(listing.replacing(/^swift\n/, with: ""))
    // The output is at the end; other comments are part of the code.
    let end = all.lastIndex { !$0.hasPrefix("// ") }.map { $0 + 1 } ?? 0
    #expect(source.contains(all[..<end].joined(separator: "\n")))
    let output = all[end...].map { "\"\($0.dropFirst(3))\"" }
    #expect(output.isEmpty || source.contains(output.joined(separator: ",\n")))
  }
}
