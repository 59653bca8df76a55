import Testing

@testable import Microhttpd

/// The transitions of a request, for every state and every event.
@Suite struct RequestStateTests {
  typealias State = RequestState
  typealias Step = (state: State, effect: State.Effect)

  /// The transitions of one event.
  struct Row: Sendable, CustomStringConvertible {
    let event: State.Event
    /// The states that the event changes, or in which it has an effect of its own.
    let steps: [State: Step]
    /// The effect in all other states, which do not change.
    let otherwise: State.Effect

    init(_ event: State.Event, _ steps: [State: Step], otherwise: State.Effect) {
      self.event = event
      self.steps = steps
      self.otherwise = otherwise
    }

    var description: String { "\(event)" }
  }

  static let table: [Row] = [
    Row(.head, [.receiving: (.receiving, .read)], otherwise: .close),
    Row(.rejection, [.receiving: (.queued, .queue)], otherwise: .close),
    Row(.part, [.receiving: (.receiving, .append)], otherwise: .ignore),
    Row(
      .end, [.receiving: (.receiving, .count), .responded: (.queued, .queue)], otherwise: .close),
    Row(.admission, [.receiving: (.dispatched, .dispatch)], otherwise: .close),
    Row(.limit(isStopping: false), [.receiving: (.postponed, .postpone)], otherwise: .close),
    Row(.limit(isStopping: true), [.receiving: (.queued, .queueDraining)], otherwise: .close),
    Row(
      .dispatched(isStopping: false),
      [.dispatched: (.parked, .suspend), .responded: (.queued, .queue)], otherwise: .close),
    Row(
      .dispatched(isStopping: true),
      [.dispatched: (.queued, .queueDraining), .responded: (.queued, .queue)], otherwise: .close),
    Row(
      .response,
      [
        .postponed: (.responded, .resume), .dispatched: (.responded, .keep),
        .parked: (.responded, .resume),
      ],
      otherwise: .ignore
    ),
    Row(.release, [.postponed: (.receiving, .resume)], otherwise: .ignore),
    Row(
      .drainEnd(isOutcomeKnown: true),
      [
        .postponed: (.postponed, .respondDraining), .dispatched: (.dispatched, .respondDraining),
        .parked: (.parked, .respondDraining),
      ],
      otherwise: .ignore
    ),
    Row(
      .drainEnd(isOutcomeKnown: false),
      [
        .postponed: (.postponed, .respondDraining), .dispatched: (.dispatched, .respondDraining),
        .parked: (.abandoned, .resume),
      ],
      otherwise: .ignore
    ),
    Row(
      .completion,
      [
        .receiving: (.completed, .finish), .postponed: (.completed, .finish),
        .dispatched: (.completed, .finish), .parked: (.completed, .finish),
        .responded: (.completed, .finish), .abandoned: (.completed, .finish),
        .queued: (.completed, .finish),
      ],
      otherwise: .ignore
    ),
  ]

  @Test func `the table contains each event once`() {
    // A new event does not compile here until it is listed; its row then has to be added.
    for event in Self.table.map(\.event) {
      switch event {
      case .head, .rejection, .part, .end, .admission, .limit, .dispatched, .response, .release,
        .drainEnd, .completion:
        break
      }
    }
    #expect(Set(Self.table.map(\.event)).count == 14)
    #expect(Self.table.count == 14)
  }

  @Test(arguments: table) func `each event has the expected effect in every state`(_ row: Row) {
    for before in State.allCases {
      var state = before
      let effect = state.handle(row.event)
      let expected = row.steps[before] ?? (before, row.otherwise)
      #expect(state == expected.state, "\(row.event) in \(before)")
      #expect(effect == expected.effect, "\(row.event) in \(before)")
    }
  }

  @Test func `a connection is never resumed unless it is suspended`() {
    for before in State.allCases {
      for row in Self.table {
        var state = before
        guard state.handle(row.event) == .resume else { continue }
        #expect(before == .postponed || before == .parked)
        #expect(state != .postponed && state != .parked)
      }
    }
  }

  @Test func `a request gets at most one response`() {
    for before in [State.queued, .completed] {
      for row in Self.table {
        var state = before
        let effect = state.handle(row.event)
        #expect(![.queue, .queueDraining, .dispatch].contains(effect), "\(row.event) in \(before)")
        #expect(state == .queued || state == .completed)
      }
    }
  }

  @Test func `a request that is responded to during its dispatch is never suspended`() {
    var state = State.receiving
    #expect(state.handle(.head) == .read)
    #expect(state.handle(.end) == .count)
    #expect(state.handle(.admission) == .dispatch)
    #expect(state.handle(.response) == .keep)
    #expect(state.handle(.dispatched(isStopping: false)) == .queue)
    #expect(state.handle(.response) == .ignore)
    #expect(state.handle(.completion) == .finish)
  }

  @Test func `a postponed request is dispatched after its resume`() {
    var state = State.receiving
    #expect(state.handle(.end) == .count)
    #expect(state.handle(.limit(isStopping: false)) == .postpone)
    #expect(state.handle(.release) == .resume)
    #expect(state.handle(.end) == .count)
    #expect(state.handle(.admission) == .dispatch)
    #expect(state.handle(.dispatched(isStopping: false)) == .suspend)
    #expect(state.handle(.response) == .resume)
    #expect(state.handle(.end) == .queue)
  }
}
