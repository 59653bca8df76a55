import Signals
import SignalsTesting
import Testing

/// The view model of the article: a form with one field, one button and one line of status.
private final class SubscribeViewModel: Sendable {
  let email = Property<String?>(nil)
  let statusMessage = Property<String?>(nil)
  let subscribeCommand: Command<Void, String, MarbleError>

  init(post: @escaping @Sendable (String) -> Signal<String, MarbleError>) {
    subscribeCommand = Command(enabled: email.signal.map { $0?.contains("@") == true }) {
      [email] _ in
      post(email.value ?? "")
    }
    let events = subscribeCommand.executionEvents
    statusMessage.bind(
      to: .merge(
        events.compactMap { if case .started = $0 { "Sending request..." } else { nil } },
        events.compactMap { if case .completed = $0 { "Thanks" } else { nil } },
        events.compactMap { if case .failed = $0 { "Error :(" } else { nil } }))
  }
}

/// T17, the timeline of article 003: the article's failure says Thanks too, this one does not.
@Suite struct CommandViewModelTests {
  @Test func `T17, a success says Thanks before the button is enabled again`() {
    #expect(
      timeline(of: "-(r|)") == [
        "0.0 enabled false", "0.0 status nil",
        "0.0 refused failed notEnabled(Signals.NotEnabledError.disabled)",
        "0.0 enabled true",
        "0.0 enabled false", "0.0 status Sending request...", "0.0 POST a@b.co",
        "0.0 again failed notEnabled(Signals.NotEnabledError.executing)",
        "1.0 result r", "1.0 status Thanks", "1.0 result completed", "1.0 enabled true",
      ]
    )
  }

  @Test func `T17, a failed execution never says Thanks`() {
    #expect(
      timeline(of: "-#") == [
        "0.0 enabled false", "0.0 status nil",
        "0.0 refused failed notEnabled(Signals.NotEnabledError.disabled)",
        "0.0 enabled true",
        "0.0 enabled false", "0.0 status Sending request...", "0.0 POST a@b.co",
        "0.0 again failed notEnabled(Signals.NotEnabledError.executing)",
        "1.0 status Error :(", "1.0 result failed failed(#)", "1.0 enabled true",
      ]
    )
  }

  /// What the article does, and what the command's events are there for.
  @Test func `a failed execution would say Thanks if it were told from its execution signal`() {
    let recorder = Recorder()
    let command = Command<Int, Int, MarbleError> { _ in .fail(MarbleError()) }
    let thanks = command.executionSignals.flatMap { execution in
      execution.materialize().compactMap { if case .completed = $0 { "Thanks" } else { nil } }
    }
    recorder.record(thanks, as: "status")
    command.execute(1)
    #expect(recorder.words() == ["status Thanks"])
  }

  private func timeline(of response: String) -> [String] {
    let scheduler = TestScheduler()
    let recorder = Recorder(on: scheduler)
    let model = SubscribeViewModel { email in
      .deferred {
        recorder.note("POST \(email)")
        return scheduler.signal(response)
      }
    }
    recorder.record(model.subscribeCommand.enabled, as: "enabled")
    recorder.record(model.statusMessage.signal.map { $0 ?? "nil" }, as: "status")
    recorder.record(model.subscribeCommand.execute(()), as: "refused")
    model.email.value = "a@b.co"
    recorder.record(model.subscribeCommand.execute(()), as: "result")
    recorder.record(model.subscribeCommand.execute(()), as: "again")
    scheduler.advance(by: .seconds(5))
    return recorder.lines
  }
}
