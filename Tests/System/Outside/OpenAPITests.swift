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
    let service = try Enlist(.operating)
    let documents = [
      try service.get("/openapi.json"), try service.operatorRequest("GET", "/openapi.json"),
    ]
    try service.folder.write(Self.validation, to: "validate.py")
    for document in documents {
      try service.folder.write(document.expect(200).text, to: "openapi.json")
      let validation = try Child.run(
        ["python3", "validate.py", "openapi.json"], in: service.folder,
        environment: ["PYTHONPATH": PythonPackages.folder], within: .seconds(300)
      ).expect(0)
      #expect(validation.output == "")
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

  @Test(.needsPython)
  func `the responses to generated requests are those of the document`() throws {
    let service = try Enlist(.mail)
    let id = try service.signUp("ana@example.com").expect(202).execution
    let mail = try service.mail(to: "ana@example.com")
    let settings = """
      [parameters]
      "path.id" = "\(id)"

      \(Self.settings)
      # What a path supports does not depend on whether its parameter is the id of anything.
      [[operations]]
      include-method = "OPTIONS"
      checks.negative_data_rejection.enabled = false

      [[operations]]
      include-path = ["/confirm/{token}", "/confirm/{token}/mail"]
      parameters = { "path.token" = "\(try mail.link("confirm").suffix(43))" }

      # A browser that opens the address of a sent form is led back to the form.
      [[operations]]
      include-path = ["/subscribers", "/executions/{id}/code", "/confirm/{token}/mail"]
      checks.unsupported_method.enabled = false

      [[operations]]
      include-path = "/unsubscribe/{token}"
      parameters = { "path.token" = "\(try mail.link("unsubscribe").suffix(43))" }

      """
    try runSchemathesis(
      service.get("/openapi.json"), on: service.port, settings,
      // It reads every response to its end, which a stream does not have.
      [
        "--header", "Host: localhost", "--exclude-path", "/status",
        "--exclude-path", "/executions/{id}/events",
      ],
      count: 31, in: service.folder)
  }

  @Test(.needsPython, arguments: [KeyScope.allCases, [.board]])
  func `the responses of the operator's listener are those of its document`(
    _ scopes: [KeyScope]
  ) throws {
    let service = try Enlist(.operating)
    for number in 0..<9 { try service.signUp("p\(number)@example.com").expect(202) }
    let key = try service.makeKey(scopes.map(\.rawValue).joined(separator: ","))
    let settings =
      Self.settings + """
        # Nor which URLs are valid.
        [[operations]]
        include-path = ["/api/webhooks", "/api/webhooks/{id}"]
        checks.positive_data_acceptance.expected-statuses = ["2xx", "4xx", "5xx"]

        """
    try runSchemathesis(
      service.operatorRequest("GET", "/openapi.json"), on: service.operatorPort(), settings,
      // After ten wrong keys there is 429, which the check of keys does not expect; another test asks
      // each route with wrong keys.
      [
        "--header", "Authorization: Bearer \(key)", "--exclude-path", "/api/events/stream",
        "--exclude-checks", "ignored_auth",
      ],
      count: 33, in: service.folder)
  }

  /// Runs schemathesis with a document on the listener at a port, which must test a number of
  /// operations and find nothing.
  private func runSchemathesis(
    _ document: Client.Response, on port: UInt16, _ settings: String, _ arguments: [String],
    count: Int, in folder: Folder
  ) throws {
    try folder.write(settings, to: "schemathesis.toml")
    try folder.write(document.expect(200).text, to: "openapi.json")
    let run = try Child.run(
      [
        "python3", "-m", "schemathesis.cli", "--config-file", "schemathesis.toml",
        "run", "openapi.json", "--url", "http://127.0.0.1:\(port)",
      ] + arguments + [
        "--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--seed", "1",
        "--generation-database", "none", "--continue-on-failure", "--no-color",
      ],
      in: folder,
      environment: ["PYTHONPATH": PythonPackages.folder, "PYTHONDONTWRITEBYTECODE": "1"],
      within: .seconds(300))
    // A failure shows its request, which may be long.
    let report = run.output.split(separator: "\n").map { $0.prefix(500) }.joined(separator: "\n")
    #expect(run.end == .exit(0), "\(report)\(run.errors)")
    #expect(report.contains("Tested: \(count)"), "\(report)")
  }
}
