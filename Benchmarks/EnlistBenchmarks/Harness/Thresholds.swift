internal import Foundation

/// The allocations that each operation may cost: `Thresholds.json`, keyed by the row's name.
struct Thresholds {
  private let limits: [String: Double]

  init() throws {
    let json = Data(PackageResources.Thresholds_json)
    limits = try JSONDecoder().decode([String: Double].self, from: json)
  }

  /// Counts allocations and prints a line for each row that exceeds its threshold.
  ///
  /// - Returns: Whether every row is within its threshold.
  func check(_ rows: [Row]) async -> Bool {
    var isKept = true
    for row in rows {
      guard let contender = row.contenders.first(where: { $0.library.isOurs }),
        let allocations = await Stopwatch.allocations(of: contender)
      else { continue }
      guard let limit = limits[row.name] else {
        print("\(row.name): no threshold in Thresholds.json; add one")
        isKept = false
        continue
      }
      // Allow a tenth for storage that grows occasionally, and for other threads.
      if allocations > limit + 0.1 {
        let counted = String(format: "%.2f", allocations)
        print("\(row.name): \(counted) allocations; the limit is \(limit)")
        isKept = false
      }
    }
    if isKept { print("The allocations of \(rows.count) rows are within Thresholds.json.") }
    return isKept
  }
}
