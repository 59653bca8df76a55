extension Browser {
  /// Opens a URL in another tab, does something there, and closes it, which shows the first tab
  /// again.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - act: What is done in the other tab.
  /// - Throws: `Failure`, or the error of `act`.
  func inAnotherTab(_ url: String, _ act: () throws -> Void) throws {
    let original = try command("GET", "/window")
    guard let tab = try command("POST", "/window/new", ["type": "tab"]) as? [String: Any],
      let handle = tab["handle"]
    else { throw Failure(description: "no tab") }
    try command("POST", "/window", ["handle": handle])
    try open(url)
    try act()
    try command("DELETE", "/window")
    try command("POST", "/window", ["handle": original])
  }
}
