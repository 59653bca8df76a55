import Foundation
import TestSupport
import Testing

extension Browser {
  /// The rules of axe-core.
  enum AccessibilityRules: String {
    /// All rules, for whole pages.
    case all = "{}"
    /// Only those that follow from WCAG 2.1 AA: a mail is a part of a mail program's page, so it
    /// has no landmarks.
    case wcag = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }"
  }

  /// Checks the page with axe-core, with its contrast in the current color scheme.
  ///
  /// - Returns: The violations, and contrasts that could not be determined.
  func accessibilityViolations(_ rules: AccessibilityRules = .all) throws -> [String] {
    try evaluate(try String(contentsOfFile: Self.axe, encoding: .utf8))
    let violations =
      try evaluate(
        """
        const done = arguments[arguments.length - 1]
        axe.run(\(rules.rawValue)).then(result => done(
          result.violations.concat(result.incomplete.filter(found => found.id === 'color-contrast'))
            .map(found => found.id + ' ' + found.nodes.map(node => node.html).join(' '))))
        """,
        asynchronously: true
      ) as? [String]
    guard let violations else { throw Failure(description: "axe-core has no result") }
    return violations
  }

  /// Expects that the page has no violations, and fits the width of the window.
  ///
  /// - Parameter page: The name of the page, for a failure.
  func expectAccessible(
    _ page: String = "", _ rules: AccessibilityRules = .all,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let violations = try accessibilityViolations(rules)
    #expect(violations == [], "\(page)", sourceLocation: sourceLocation)
    let fits = try fitsWidth()
    #expect(fits, "\(page)", sourceLocation: sourceLocation)
  }

  /// Returns whether the page fits the width of the window.
  func fitsWidth() throws -> Bool {
    try evaluate(
      "return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
      as? Bool == true
  }

  /// Returns whether the page knows that motion is to be avoided, and no element of it moves.
  func isStill() throws -> Bool {
    try evaluate(
      """
      return matchMedia('(prefers-reduced-motion: reduce)').matches
        && [...document.querySelectorAll('*')].map(element => getComputedStyle(element))
          .every(style => style.animationName === 'none' && style.scrollBehavior === 'auto'
            && style.transitionDuration.split(',').every(time => parseFloat(time) === 0))
      """
    ) as? Bool == true
  }

  // MARK: Screen readers

  /// What a screen reader gets of each part of the page: its role, its name, and those of its states
  /// that tests are about.
  func accessibilityTree() throws -> [String] {
    let tree = try callDevTools("Accessibility.getFullAXTree", [:]) as? [String: Any]
    let nodes = tree?["nodes"] as? [[String: Any]] ?? []
    func value(_ part: Any?) -> String {
      ((part as? [String: Any])?["value"]).map { "\($0)" } ?? ""
    }
    return nodes.filter { $0["ignored"] as? Bool == false }.map { node in
      let properties = node["properties"] as? [[String: Any]] ?? []
      let states = properties.compactMap { property -> String? in
        let name = property["name"] as? String ?? ""
        let isOn = ["true", "1"].contains(value(property["value"]))
        return isOn && ["disabled", "focused", "invalid", "required"].contains(name) ? name : nil
      }
      return ([value(node["role"]), value(node["name"])] + states.sorted())
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// Expects that a screen reader gets some parts of the page, and that no other part is invalid.
  ///
  /// - Parameters:
  ///   - parts: The parts, as of ``accessibilityTree()``.
  ///   - step: What has happened, for a failure.
  func expectTree(
    _ parts: [String], _ step: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let tree = try accessibilityTree()
    for part in parts {
      #expect(tree.contains(part), "\(step): \(tree)", sourceLocation: sourceLocation)
    }
    let invalid = tree.filter { $0.contains(" invalid") }
    #expect(
      invalid == parts.filter { $0.contains(" invalid") }, "\(step)",
      sourceLocation: sourceLocation)
  }

  /// The script of axe-core.
  fileprivate static let axe = "\(PythonPackages.folder)/axe_core_python/axe.min.js"
}

extension Trait where Self == ConditionTrait {
  /// The test needs a browser, and axe-core to check pages.
  static var needsBrowser: Self {
    .enabled(
      if: Child.finds("chromedriver") && FileManager.default.isReadableFile(atPath: Browser.axe),
      "chromedriver or axe-core is missing: Scripts/bootstrap all")
  }
}
