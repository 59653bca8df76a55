internal import Foundation

/// The results as a Markdown table.
struct ResultTable {
  private let results: [RowResult]

  init(_ results: [RowResult]) {
    self.results = results
  }

  /// The table's text; each cell has nanoseconds per operation, the ratio to the floor, and
  /// allocations.
  var text: String {
    let libraries = Library.allCases.filter { library in results.contains { $0[library] != nil } }
    var lines = [["operation"] + libraries.map(\.rawValue) + ["aim", ""]]
    for result in results {
      let cells = libraries.map { cell(result[$0], floor: result.floor) }
      lines.append([result.row.name] + cells + [describe(result.row.aim), status(result)])
    }
    return align(lines)
  }

  /// How much slower this machine is than the one that the aims were set on.
  private var scale: Double {
    guard let floor = results.first(where: { $0.row.name.hasPrefix("(a)") })?.floor else {
      return 1
    }
    return floor.nanoseconds / Aim.referenceFloor
  }

  private func cell(_ cost: Cost?, floor: Cost?) -> String {
    guard let cost else { return "–" }
    var parts = [String(format: "%.1f ns", cost.nanoseconds)]
    if let floor { parts.append(String(format: "%.2f×", cost.nanoseconds / floor.nanoseconds)) }
    if let allocations = cost.allocations { parts.append(String(format: "%.1f a", allocations)) }
    return parts.joined(separator: ", ")
  }

  private func describe(_ aim: Aim) -> String {
    var parts: [String] = []
    if let ratio = aim.ratio { parts.append(String(format: "≤ %.2f×", ratio)) }
    if let nanoseconds = aim.nanoseconds {
      parts.append(String(format: "≤ %.0f ns", nanoseconds * scale))
    }
    if let allocations = aim.allocations { parts.append(String(format: "≤ %.0f a", allocations)) }
    return parts.joined(separator: ", ")
  }

  private func status(_ result: RowResult) -> String {
    guard let cost = result.ours else { return "" }
    let aim = result.row.aim
    guard !aim.isNone else { return "" }
    var isMet = cost.nanoseconds <= (aim.nanoseconds ?? .infinity) * scale
    if let floor = result.floor, let ratio = aim.ratio {
      isMet = isMet && cost.nanoseconds <= ratio * floor.nanoseconds
    }
    if let allocations = cost.allocations {
      // Allow half an allocation for storage that grows occasionally, such as an array.
      isMet = isMet && allocations <= (aim.allocations ?? .infinity) + 0.5
    }
    return isMet ? "met" : "missed"
  }

  private func align(_ lines: [[String]]) -> String {
    let columns = lines.first?.indices ?? 0..<0
    let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
    var text = lines.map { line in
      "| " + zip(line, widths).map(pad).joined(separator: " | ") + " |"
    }
    text.insert("|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined(), at: 1)
    return text.joined(separator: "\n")
  }

  private func pad(_ cell: String, to width: Int) -> String {
    cell + String(repeating: " ", count: width - cell.count)
  }
}
