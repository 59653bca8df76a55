import Foundation
import Signals
import SignalsTesting
import Testing

/// The marble diagrams of the documentation, run.
///
/// A diagram is a block of text: the sources, the result, and in its last line the expression that
/// is drawn, in which `source`, `other` and `scheduler` stand for what they say.
@Suite struct DocumentationMarblesTests {
  @Test(arguments: try Diagram.all())
  func `a diagram of the documentation shows what the operator does`(_ diagram: Diagram) throws {
    let drawn = try #require(
      Drawn.all.first { $0.text == diagram.expression }, "no test draws \(diagram.expression)")
    let expected = try Marbles(validating: diagram.sources + [diagram.result]).expected
    #expect(drawn.draw(diagram.sources) == expected)
  }

  @Test func `every operator has a diagram`() throws {
    let files = Set(try Diagram.operators().map(\.lastPathComponent))
    #expect(files.subtracting(try Diagram.all().map(\.file)) == [])
    #expect(files.count > 40)
  }

  @Test func `every operator is drawn by its name`() throws {
    let expressions = try Diagram.all().map(\.expression).joined(separator: "\n")
    for url in try Diagram.operators() {
      let source = try String(contentsOf: url, encoding: .utf8)
      for declaration in source.matches(of: /public (?:static )?func `?(\w+)/) {
        let name = try Regex("\\b\(declaration.1)\\b").wordBoundaryKind(.simple)
        let isDrawn = expressions.contains(name)
        #expect(isDrawn, "\(declaration.1) is not drawn")
      }
    }
  }

  @Test func `draws the expressions that the documentation shows`() throws {
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
      .filter { !$0.isWhitespace }
    for drawn in Drawn.all {
      let expression = drawn.text.filter { !$0.isWhitespace }
      #expect(source.contains("in\(expression)}"), "\(drawn.text) draws something else")
    }
  }
}

/// A diagram, as it stands in a comment or on a page.
struct Diagram: Sendable, CustomTestStringConvertible {
  let file: String
  var sources: [String] = []
  var result = ""
  var expression = ""

  var testDescription: String { "\(file): \(expression)" }

  private static let sourceFolder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Signals").standardizedFileURL

  /// The files of the operators.
  static func operators() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: sourceFolder.appending(path: "Operators"), includingPropertiesForKeys: nil)
  }

  /// All diagrams of the operators' comments and of the pages.
  static func all() throws -> [Diagram] {
    let pages = ["README.md", "Signals.docc/Signals.md"].map { sourceFolder.appending(path: $0) }
    return try (operators().sorted { $0.path < $1.path } + pages).flatMap { url in
      diagrams(in: try String(contentsOf: url, encoding: .utf8), of: url.lastPathComponent)
    }
  }

  private static func diagrams(in text: String, of file: String) -> [Diagram] {
    var found: [Diagram] = []
    var open: Diagram?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.trimmingPrefix { $0.isWhitespace || $0 == "/" }
      if let row = line.firstMatch(of: /^(source|other|result): +(\S+)$/) {
        if open == nil { open = Diagram(file: file) }
        if row.1 == "result" {
          open?.result = String(row.2)
        } else {
          open?.sources.append(String(row.2))
        }
      } else if var diagram = open {
        diagram.expression = String(line)
        found.append(diagram)
        open = nil
      }
    }
    return found
  }
}

/// An expression of the documentation, as text and as what it does.
private struct Drawn: Sendable {
  let text: String
  let draw: @Sendable ([String]) -> String

  init<Value, Failure>(_ text: String, _ operate: @escaping MarbleCase.Operator<Value, Failure>) {
    self.text = text
    let drawing = MarbleCase.drawing(operate)
    draw = { rows in drawing(rows, TestScheduler()) }
  }

  /// Statement by statement: as one array they would be one expression for the type checker.
  static let all: [Drawn] = {
    var all: [Drawn] = []
    func add<Value, Failure>(
      _ text: String, _ operate: @escaping MarbleCase.Operator<Value, Failure>
    ) {
      all.append(Drawn(text, operate))
    }
    add("source.any { $0 == \"b\" }.map { $0 ? \"T\" : \"F\" }") { source, _, _ in
      source.any { $0 == "b" }.map { $0 ? "T" : "F" }
    }
    add("source.map { $0 == \"b\" }.not().map { $0 ? \"T\" : \"F\" }") { source, _, _ in
      source.map { $0 == "b" }.not().map { $0 ? "T" : "F" }
    }
    add("source.buffer(for: .seconds(3), on: scheduler).map(\\.count)") { source, _, scheduler in
      source.buffer(for: .seconds(3), on: scheduler).map(\.count)
    }
    add("source.buffer(for: .seconds(3), count: 2, on: scheduler).map(\\.count)") {
      source,
      _,
      scheduler in
      source.buffer(for: .seconds(3), count: 2, on: scheduler).map(\.count)
    }
    add("source.scan(into: \"\") { $0 = max($0, $1) }") { source, _, _ in
      source.scan(into: "") { $0 = max($0, $1) }
    }
    add("source.first(where: { $0 > \"a\" })") { source, _, _ in
      source.first(where: { $0 > "a" })
    }
    add("source.ifEmpty(send: \"x\")") { source, _, _ in
      source.ifEmpty(send: "x")
    }
    add("source.ifEmpty(continueWith: other)") { source, other, _ in
      source.ifEmpty(continueWith: other)
    }
    add("source.distinctUntilChanged(by: { $0.lowercased() })") { source, _, _ in
      source.distinctUntilChanged(by: { $0.lowercased() })
    }
    add("source.timeout(between: .seconds(4), on: scheduler, with: MarbleError())") {
      source,
      _,
      scheduler in
      source.timeout(between: .seconds(4), on: scheduler, with: MarbleError())
    }
    add("source.retry(1, delay: .seconds(3), on: scheduler)") { source, _, scheduler in
      source.retry(1, delay: .seconds(3), on: scheduler)
    }
    add("source.throttle(for: .seconds(3), latest: false, on: scheduler)") { source, _, scheduler in
      source.throttle(for: .seconds(3), latest: false, on: scheduler)
    }
    add("source.buffer(count: 2).map(\\.count)") { source, _, _ in
      source.buffer(count: 2).map(\.count)
    }
    add("source.catch { _ in other }") { source, other, _ in
      source.catch { _ in other }
    }
    add("combineLatest(source, other) { max($0, $1) }") { source, other, _ in
      combineLatest(source, other) { max($0, $1) }
    }
    add("combineLatest([source, other]).map { $0.max() ?? \"\" }") { source, other, _ in
      combineLatest([source, other]).map { $0.max() ?? "" }
    }
    add("source.combinePrevious(\"a\") { $0 == $1 ? \"=\" : \"~\" }") { source, _, _ in
      source.combinePrevious("a") { $0 == $1 ? "=" : "~" }
    }
    add("source.compactMap { Int($0) }") { source, _, _ in
      source.compactMap { Int($0) }
    }
    add("source.concat(other)") { source, other, _ in
      source.concat(other)
    }
    add("source.debounce(for: .seconds(3), on: scheduler)") { source, _, scheduler in
      source.debounce(for: .seconds(3), on: scheduler)
    }
    add("source.delay(.seconds(2), on: scheduler)") { source, _, scheduler in
      source.delay(.seconds(2), on: scheduler)
    }
    add("source.deliver(on: scheduler)") { source, _, scheduler in
      source.deliver(on: scheduler)
    }
    add("source.distinctUntilChanged()") { source, _, _ in
      source.distinctUntilChanged()
    }
    add("source.do(next: { _ in })") { source, _, _ in
      source.do(next: { _ in })
    }
    add("source.exhaustMap { _ in other }") { source, other, _ in
      source.exhaustMap { _ in other }
    }
    add("source.filter { $0 < \"c\" }") { source, _, _ in
      source.filter { $0 < "c" }
    }
    add("source.flatMap { _ in other }") { source, other, _ in
      source.flatMap { _ in other }
    }
    add("source.map { _ in other }.flatten(maxConcurrent: 1)") { source, other, _ in
      source.map { _ in other }.flatten(maxConcurrent: 1)
    }
    add("source.groupBy { $0 < \"c\" }.map { $0.key ? \"T\" : \"F\" }") { source, _, _ in
      source.groupBy { $0 < "c" }.map { $0.key ? "T" : "F" }
    }
    add("source.ignoreValues()") { source, _, _ in
      source.ignoreValues()
    }
    add("Signal.interval(.seconds(2), on: scheduler).map { _ in \"x\" }.take(3)") {
      _,
      _,
      scheduler in
      Signal.interval(.seconds(2), on: scheduler).map { _ in "x" }.take(3)
    }
    add("source.logged(\"S\", to: { _ in })") { source, _, _ in
      source.logged("S", to: { _ in })
    }
    add("Signal<String, Never>.just(\"a\")") { _, _, _ in
      Signal<String, Never>.just("a")
    }
    add("source.map { $0.uppercased() }") { source, _, _ in
      source.map { $0.uppercased() }
    }
    add("source.mapError { $0 }") { source, _, _ in
      source.mapError { $0 }
    }
    add("source.materialize().dematerialize()") { source, _, _ in
      source.materialize().dematerialize()
    }
    add("source.merge(with: other)") { source, other, _ in
      source.merge(with: other)
    }
    add("source.replayLazily()") { source, _, _ in
      source.replayLazily()
    }
    add("source.race(with: other)") { source, other, _ in
      source.race(with: other)
    }
    add("source.reduce(\"\") { max($0, $1) }") { source, _, _ in
      source.reduce("") { max($0, $1) }
    }
    add("source.repeat(2)") { source, _, _ in
      source.repeat(2)
    }
    add("source.replaceError(with: \"x\")") { source, _, _ in
      source.replaceError(with: "x")
    }
    add("source.retry(1)") { source, _, _ in
      source.retry(1)
    }
    add("source.sample(on: other)") { source, other, _ in
      source.sample(on: other)
    }
    add("source.scan(\"\") { max($0, $1) }") { source, _, _ in
      source.scan("") { max($0, $1) }
    }
    add("source.share()") { source, _, _ in
      source.share()
    }
    add("source.share(replay: 1)") { source, _, _ in
      source.share(replay: 1)
    }
    add("source.skip(1)") { source, _, _ in
      source.skip(1)
    }
    add("source.startWith(\"x\")") { source, _, _ in
      source.startWith("x")
    }
    add("source.subscribe(on: scheduler)") { source, _, scheduler in
      source.subscribe(on: scheduler)
    }
    add("source.flatMapLatest { _ in other }") { source, other, _ in
      source.flatMapLatest { _ in other }
    }
    add("source.take(2)") { source, _, _ in
      source.take(2)
    }
    add("source.takeLast(2)") { source, _, _ in
      source.takeLast(2)
    }
    add("source.take(until: other)") { source, other, _ in
      source.take(until: other)
    }
    add("source.then { other }") { source, other, _ in
      source.then { other }
    }
    add("source.throttle(for: .seconds(3), on: scheduler)") { source, _, scheduler in
      source.throttle(for: .seconds(3), on: scheduler)
    }
    add("source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())") {
      source,
      _,
      scheduler in
      source.timeout(after: .seconds(3), on: scheduler, with: MarbleError())
    }
    add("source.tryMap { value throws(MarbleError) in try letters(value) }") { source, _, _ in
      source.tryMap { value throws(MarbleError) in try letters(value) }
    }
    add("source.window(count: 2).map { _ in \"w\" }") { source, _, _ in
      source.window(count: 2).map { _ in "w" }
    }
    add("source.withLatest(from: other) { $1 }") { source, other, _ in
      source.withLatest(from: other) { $1 }
    }
    add("zip(source, other) { max($0, $1) }") { source, other, _ in
      zip(source, other) { max($0, $1) }
    }
    add("zip([source, other]).map { $0.max() ?? \"\" }") { source, other, _ in
      zip([source, other]).map { $0.max() ?? "" }
    }
    add("source.all { $0 == \"b\" }.map { $0 ? \"T\" : \"F\" }") { source, _, _ in
      source.all { $0 == "b" }.map { $0 ? "T" : "F" }
    }
    add("source.map { $0 == \"a\" }.and(other.map { $0 == \"x\" }).map { $0 ? \"T\" : \"F\" }") {
      source,
      other,
      _ in
      source.map { $0 == "a" }.and(other.map { $0 == "x" }).map { $0 ? "T" : "F" }
    }
    add("source.map { $0 == \"a\" }.or(other.map { $0 == \"x\" }).map { $0 ? \"T\" : \"F\" }") {
      source,
      other,
      _ in
      source.map { $0 == "a" }.or(other.map { $0 == "x" }).map { $0 ? "T" : "F" }
    }
    add("combineLatest(source, other, other) { max($0, max($1, $2)) }") { source, other, _ in
      combineLatest(source, other, other) { max($0, max($1, $2)) }
    }
    add("zip(source, other, other) { max($0, max($1, $2)) }") { source, other, _ in
      zip(source, other, other) { max($0, max($1, $2)) }
    }
    add("Signal.concat(source, other)") { source, other, _ in
      Signal.concat(source, other)
    }
    add("source.map { _ in other }.concat()") { source, other, _ in
      source.map { _ in other }.concat()
    }
    add("source.concatMap { _ in other }") { source, other, _ in
      source.concatMap { _ in other }
    }
    add("source.initially {}") { source, _, _ in
      source.initially {}
    }
    add("source.finally {}") { source, _, _ in
      source.finally {}
    }
    add("source.ignoreValues(as: Int.self)") { source, _, _ in
      source.ignoreValues(as: Int.self)
    }
    add("Signal.timer(after: .seconds(2), on: scheduler).map { _ in \"x\" }") { _, _, scheduler in
      Signal.timer(after: .seconds(2), on: scheduler).map { _ in "x" }
    }
    add("Signal<String, Never>.empty") { _, _, _ in
      Signal<String, Never>.empty
    }
    add("Signal<String, MarbleError>.fail(MarbleError())") { _, _, _ in
      Signal<String, MarbleError>.fail(MarbleError())
    }
    add("Signal<String, Never>.never") { _, _, _ in
      Signal<String, Never>.never
    }
    add("Signal.deferred { source }") { source, _, _ in
      Signal.deferred { source }
    }
    add("Signal<String, Never>([\"a\", \"b\"])") { _, _, _ in
      Signal<String, Never>(["a", "b"])
    }
    add("source.mapReplace(\"x\")") { source, _, _ in
      source.mapReplace("x")
    }
    add("Signal<String, Never>.just(\"a\").promoteError(to: MarbleError.self)") { _, _, _ in
      Signal<String, Never>.just("a").promoteError(to: MarbleError.self)
    }
    add("Signal.merge(source, other)") { source, other, _ in
      Signal.merge(source, other)
    }
    add("Signal.merge([source, other])") { source, other, _ in
      Signal.merge([source, other])
    }
    add("source.multicast(ReplaySubject(capacity: 1)).autoconnect()") { source, _, _ in
      source.multicast(ReplaySubject(capacity: 1)).autoconnect()
    }
    add("source.publish().autoconnect()") { source, _, _ in
      source.publish().autoconnect()
    }
    add("source.replay()") { source, _, _ in
      source.replay()
    }
    add("source.replayLast()") { source, _, _ in
      source.replayLast()
    }
    add("Signal.race(source, other)") { source, other, _ in
      Signal.race(source, other)
    }
    add("Signal.race([source, other])") { source, other, _ in
      Signal.race([source, other])
    }
    add("source.reduce(into: \"\") { $0 = max($0, $1) }") { source, _, _ in
      source.reduce(into: "") { $0 = max($0, $1) }
    }
    add("source.collect().map(\\.count)") { source, _, _ in
      source.collect().map(\.count)
    }
    add("source.retry(when: { $0.take(1).flatMap { _ in other } })") { source, other, _ in
      source.retry(when: { $0.take(1).flatMap { _ in other } })
    }
    add("source.skip(while: { $0 < \"b\" })") { source, _, _ in
      source.skip(while: { $0 < "b" })
    }
    add("source.map { _ in other }.switchToLatest()") { source, other, _ in
      source.map { _ in other }.switchToLatest()
    }
    add("source.take(while: { $0 < \"c\" })") { source, _, _ in
      source.take(while: { $0 < "c" })
    }
    add("source.skip(until: other)") { source, other, _ in
      source.skip(until: other)
    }
    add("source.window(for: .seconds(3), on: scheduler).map { _ in \"w\" }") {
      source,
      _,
      scheduler in
      source.window(for: .seconds(3), on: scheduler).map { _ in "w" }
    }
    add("source.combinePrevious(\"a\").map { $0 == $1 ? \"=\" : \"~\" }") { source, _, _ in
      source.combinePrevious("a").map { $0 == $1 ? "=" : "~" }
    }
    add("source.distinctUntilChanged(by: { $0.lowercased() == $1.lowercased() })") {
      source,
      _,
      _ in
      source.distinctUntilChanged(by: { $0.lowercased() == $1.lowercased() })
    }
    return all
  }()
}

/// Passes letters, and rejects everything else.
private func letters(_ text: String) throws(MarbleError) -> String {
  if text.allSatisfy(\.isLetter) { return text }
  throw MarbleError()
}
