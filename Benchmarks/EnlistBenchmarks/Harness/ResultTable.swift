internal import Foundation

/// The results as a Markdown table, in the form of `Benchmarks/README.md`.
struct ResultTable {
  private let results: [RowResult]

  init(_ results: [RowResult]) {
    self.results = results
  }

  /// The table's text, and the missed aims below it.
  ///
  /// Each cell has nanoseconds per operation, the ratio to the floor, and allocations.
  var text: String {
    let libraries = Library.allCases.filter { library in results.contains { $0[library] != nil } }
    let titles = ["operation"] + libraries.map(\.rawValue) + ["aim"]
    let rows = results.map { result in
      let cells = libraries.map { cell(result[$0], floor: result.floor) }
      return line([result.row.name] + cells + [describe(result.row.aim)])
    }
    let rule = "|" + String(repeating: "---|", count: titles.count)
    return ([line(titles), rule] + rows + ["", summary]).joined(separator: "\n")
  }

  private var summary: String {
    let missed = results.filter { !isMet($0) }.map(\.row.name)
    return missed.isEmpty ? "All aims are met." : "Missed aims: " + missed.joined(separator: "; ")
  }

  private func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
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
    return parts.isEmpty ? "–" : parts.joined(separator: ", ")
  }

  private func isMet(_ result: RowResult) -> Bool {
    guard let cost = result.ours else { return true }
    let aim = result.row.aim
    var isMet = cost.nanoseconds <= (aim.nanoseconds ?? .infinity) * scale
    if let floor = result.floor, let ratio = aim.ratio {
      isMet = isMet && cost.nanoseconds <= ratio * floor.nanoseconds
    }
    if let allocations = cost.allocations {
      // Allow half an allocation for storage that grows occasionally, such as an array.
      isMet = isMet && allocations <= (aim.allocations ?? .infinity) + 0.5
    }
    return isMet
  }
}
