internal import Foundation

/// How many allocations an operation may cost: `Thresholds.json`, by the row's name.
struct Thresholds {
  private let limits: [String: Double]

  init() throws {
    let json = Data(PackageResources.Thresholds_json)
    limits = try JSONDecoder().decode([String: Double].self, from: json)
  }

  /// Counts, and prints a line for each row that has more than it may.
  ///
  /// - Returns: Whether there is no such row.
  func check(_ rows: [Row]) async -> Bool {
    var isKept = true
    for row in rows {
      guard let contender = row.contenders.first(where: { $0.library.isOurs }),
        let allocations = await Stopwatch.allocations(of: contender)
      else { continue }
      guard let limit = limits[row.name] else {
        print("\(row.name): there is no threshold in Thresholds.json")
        isKept = false
        continue
      }
      // A tenth is for what grows now and then, and for other threads.
      if allocations > limit + 0.1 {
        let counted = String(format: "%.2f", allocations)
        print("\(row.name): \(counted) allocations, allowed is \(limit)")
        isKept = false
      }
    }
    if isKept { print("Allocations are within Thresholds.json, \(rows.count) rows.") }
    return isKept
  }
}
