import Foundation
import MailingList
import TestSupport
import Testing

/// Tests of the descriptions of both listeners with third-party programs.
@Suite struct OpenAPITests {
  /// Prints what is wrong with a document; prints nothing about a valid one.
  private static let validation = """
    import json, sys
    from openapi_spec_validator import OpenAPIV31SpecValidator
    for error in OpenAPIV31SpecValidator(json.load(open(sys.argv[1]))).iter_errors():
        print(list(error.absolute_path), error.message)
    """

  @Test(.needsPython)
  func `the documents are valid OpenAPI 3.1`() throws {
    let service = try RunningService(RunningService.operatorFlags)
    let documents = [
      try service.request("GET", "/openapi.json"),
      try service.operatorRequest("GET", "/openapi.json"),
    ]
    try service.folder.write(Self.validation, to: "validate.py")
    for document in documents {
      #expect(document.status == 200)
      try service.folder.write(document.text, to: "openapi.json")
      let program = try Program.start(
        "env PYTHONPATH='\(PythonPackages.folder)' python3 validate.py openapi.json",
        in: service.folder)
      let output = try program.readOutput(by: Deadline(after: .seconds(300)))
      #expect(String(decoding: output, as: UTF8.self) == "")
      #expect(try program.wait() == .exit(0), "\(program.standardError)")
    }
  }

  /// The settings of schemathesis for both listeners.
  ///
  /// A schema does not say which addresses are valid, which codes are right, which links have
  /// expired, which keys have a scope, and which subscribers have changed.
  private static let settings = """
    [checks]
    positive_data_acceptance.expected-statuses = [
      "2xx", "303", "304", "401", "403", "404", "409", "410", "412", "422", "5xx",
    ]
    missing_required_header.expected-statuses = ["400", "401", "403", "404", "415", "428"]
    negative_data_rejection.expected-statuses = [
      "400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx",
    ]

    """

  /// Makes the settings of schemathesis for the public listener.
  ///
  /// - Parameters:
  ///   - id: An execution that exists.
  ///   - confirm: The path of its link to confirm.
  ///   - unsubscribe: The path of its link to leave the list.
  /// - Returns: The settings.
  private func makeSettings(id: String, confirm: String, unsubscribe: String) -> String {
    """
    [parameters]
    "path.id" = "\(id)"

    \(Self.settings)
    # What a path supports does not depend on whether its parameter is the id of anything.
    [[operations]]
    include-method = "OPTIONS"
    checks.negative_data_rejection.enabled = false

    [[operations]]
    include-path = ["/confirm/{token}", "/confirm/{token}/mail"]
    parameters = { "path.token" = "\(confirm.suffix(43))" }

    [[operations]]
    include-path = "/unsubscribe/{token}"
    parameters = { "path.token" = "\(unsubscribe.suffix(43))" }

    """
  }

  /// Runs schemathesis, which must test all operations and find nothing.
  ///
  /// - Parameters:
  ///   - document: The response with the document.
  ///   - port: The port of the listener.
  ///   - settings: The settings.
  ///   - arguments: Further arguments.
  ///   - count: The number of operations.
  ///   - folder: The folder for its files.
  /// - Throws: An error if it cannot be started or takes too long.
  private func runSchemathesis(
    _ document: TestResponse, on port: UInt16, _ settings: String, _ arguments: String, count: Int,
    in folder: TemporaryFolder
  ) throws {
    try folder.write(settings, to: "schemathesis.toml")
    try folder.write(document.text, to: "openapi.json")
    let program = try Program.start(
      """
      env PYTHONPATH='\(PythonPackages.folder)' PYTHONDONTWRITEBYTECODE=1 \
      timeout 300 python3 -m schemathesis.cli --config-file schemathesis.toml run openapi.json \
      --url http://127.0.0.1:\(port) \(arguments) \
      --phases examples,coverage,fuzzing --max-examples 3 --seed 1 --generation-database none \
      --continue-on-failure --no-color
      """,
      in: folder
    )
    let output = try program.readOutput(by: Deadline(after: .seconds(310)))
    // A failure shows its request, which may be long.
    let report = String(decoding: output, as: UTF8.self).split(separator: "\n")
      .map { $0.prefix(500) }.joined(separator: "\n")
    #expect(try program.wait() == .exit(0), "\(report)\(program.standardError)")
    #expect(report.contains("Tested: \(count)"), "\(report)")
  }

  @Test(.needsPython)
  func `the responses to generated requests are those of the document`() throws {
    let service = try RunningService(RunningService.mailFlags)
    let id = try service.signUp("ana@example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    let settings = makeSettings(
      id: id, confirm: try mail.firstLink("confirm"), unsubscribe: try mail.firstLink("unsubscribe")
    )
    try runSchemathesis(
      try service.request("GET", "/openapi.json"),
      on: service.port,
      settings,
      // It reads every response to its end, which a stream does not have.
      "--header 'Host: localhost' --exclude-path /status --exclude-path '/executions/{id}/events'",
      count: 27,
      in: service.folder
    )
  }

  @Test(
    .needsPython,
    arguments: [KeyScope.allCases, [.board]])
  func `the responses of the operator's listener are those of its document`(
    _ scopes: [KeyScope]
  ) throws {
    let service = try RunningService(RunningService.operatorFlags)
    for number in 0..<9 { #expect(try service.signUp("p\(number)@example.com").status == 202) }
    let key = try service.makeKey(scopes.map(\.rawValue).joined(separator: ","))
    try runSchemathesis(
      try service.operatorRequest("GET", "/openapi.json"),
      on: try service.operatorPort(),
      Self.settings + """
        # Nor which URLs are valid.
        [[operations]]
        include-path = ["/api/webhooks", "/api/webhooks/{id}"]
        checks.positive_data_acceptance.expected-statuses = ["2xx", "4xx", "5xx"]

        """,
      // After ten wrong keys there is 429, which the check of keys does not expect; another test asks
      // each route with wrong keys.
      """
      --header 'Authorization: Bearer \(key)' --exclude-path /api/events/stream \
      --exclude-checks ignored_auth
      """,
      count: 34,
      in: service.folder
    )
  }
}
