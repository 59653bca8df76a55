internal import Foundation

/// The machine and the date of a measurement.
struct Machine: CustomStringConvertible {
  let processor: String
  let cores: Int
  let date: Date

  /// The current machine and date.
  static var current: Machine {
    Machine(
      processor: processorName ?? "unknown processor",
      cores: ProcessInfo.processInfo.activeProcessorCount, date: Date())
  }

  var description: String {
    "\(processor), \(cores) cores, \(date.formatted(.iso8601.year().month().day()))"
  }

  private static var processorName: String? {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
  }
}
