import ArgumentParser
import Testing

@testable import enlist

/// What `enlist webhooks test` makes of a response.
@Suite struct WebhookTestCommandTests {
  @Test func `a request that has ended without a response is a failure`() throws {
    let command = try EnlistCommand.parseAsRoot(["webhooks", "test", "a1"])
    let test = try #require(command as? Webhooks.Test)
    let failure = #expect(throws: Failure.self) { try test.report(nil) }
    #expect(failure?.description == "the request to the webhook a1 has ended without a response")
    #expect(failure?.code == 1)
  }
}
