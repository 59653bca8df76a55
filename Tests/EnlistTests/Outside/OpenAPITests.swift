import Foundation
import TestSupport
import Testing

/// Tests of the service's description with third-party programs.
@Suite(.timeLimit(.minutes(15))) struct OpenAPITests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The folders to which `Scripts/bootstrap test` installs the programs.
  private static let validator = root.appending(path: ".build-openapi").path
  private static let schemathesis = root.appending(path: ".build-schemathesis").path

  /// Prints what is wrong with a document; prints nothing about a valid one.
  private static let validation = """
    import json, sys
    from openapi_spec_validator import OpenAPIV31SpecValidator
    for error in OpenAPIV31SpecValidator(json.load(open(sys.argv[1]))).iter_errors():
        print(list(error.absolute_path), error.message)
    """

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "\(validator)/openapi_spec_validator"),
      "openapi-spec-validator is missing: Scripts/bootstrap test installs it"
    )
  )
  func `the document is valid OpenAPI 3.1`() throws {
    let service = try RunningService()
    let response = try service.request("GET", "/openapi.json")
    #expect(response.status == 200)
    try service.folder.write(response.text, to: "openapi.json")
    try service.folder.write(Self.validation, to: "validate.py")
    let program = try Program.start(
      "env PYTHONPATH='\(Self.validator)' python3 validate.py openapi.json",
      in: service.folder
    )
    let output = try program.readOutput(by: Deadline(after: .seconds(60)))
    #expect(String(decoding: output, as: UTF8.self) == "")
    #expect(try program.wait() == .exit(0), "\(program.standardError)")
  }

  /// Makes the settings of schemathesis.
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

    # A schema does not say which addresses are valid, which codes are right, and which links have
    # expired.
    [checks]
    positive_data_acceptance.expected-statuses = [
      "2xx", "304", "401", "403", "404", "409", "410", "422", "5xx",
    ]
    negative_data_rejection.expected-statuses = [
      "400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx",
    ]

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

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "\(schemathesis)/schemathesis"),
      "schemathesis is missing: Scripts/bootstrap test installs it"
    )
  )
  func `the responses to generated requests are those of the document`() throws {
    let service = try RunningService(RunningService.mailFlags)
    let id = try service.signUp("ana@example.com").execution()
    let mail = try #require(try service.waitForMails(1).first)
    let settings = makeSettings(
      id: id,
      confirm: try mail.firstLink("confirm"),
      unsubscribe: try mail.firstLink("unsubscribe")
    )
    try service.folder.write(settings, to: "schemathesis.toml")
    let document = try service.request("GET", "/openapi.json")
    try service.folder.write(document.text, to: "openapi.json")
    // It reads every response to its end, which a stream does not have.
    let program = try Program.start(
      """
      env PYTHONPATH='\(Self.schemathesis)' PYTHONDONTWRITEBYTECODE=1 \
      timeout 60 python3 -m schemathesis.cli --config-file schemathesis.toml run openapi.json \
      --url http://127.0.0.1:\(service.port) --header 'Host: localhost' \
      --phases examples,coverage,fuzzing --max-examples 3 --seed 1 --generation-database none \
      --exclude-path /status --exclude-path '/executions/{id}/events' \
      --continue-on-failure --no-color
      """,
      in: service.folder
    )
    let output = try program.readOutput(by: Deadline(after: .seconds(70)))
    // A failure shows its request, which may be long.
    let report = String(decoding: output, as: UTF8.self).split(separator: "\n")
      .map { $0.prefix(500) }.joined(separator: "\n")
    #expect(try program.wait() == .exit(0), "\(report)\(program.standardError)")
    #expect(report.contains("Tested: 24"), "\(report)")
  }
}
