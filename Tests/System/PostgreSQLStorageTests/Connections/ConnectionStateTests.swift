import Testing

@testable import PostgreSQLStorage

@Suite struct ConnectionStateTests {
  typealias Step = ConnectionState.Step
  typealias Event = ConnectionState.Event

  /// A state, as the events that lead to it.
  struct Place: Hashable, Sendable {
    let events: [Event]
    let step: Step
    let hasSent: Bool

    var state: ConnectionState {
      var state = ConnectionState()
      for event in events { state.handle(event) }
      return state
    }
  }

  static let opening = Place(events: [], step: .opening, hasSent: false)
  static let checking = Place(events: [.opened], step: .checking, hasSent: false)
  static let ready = Place(events: [.opened, .passed], step: .ready, hasSent: false)
  static let sending = Place(events: ready.events + [.sent], step: .ready, hasSent: true)
  static let waiting = Place(events: [.lost], step: .waiting, hasSent: false)
  static let uncertain = Place(events: sending.events + [.lost], step: .waiting, hasSent: true)
  static let openingAgain = Place(
    events: uncertain.events + [.paused], step: .opening, hasSent: true)
  static let checkingAgain = Place(
    events: openingAgain.events + [.opened], step: .checking, hasSent: true)
  static let closed = Place(events: [.ended], step: .closed, hasSent: false)
  static let places = [
    opening, checking, ready, sending, waiting, uncertain, openingAgain, checkingAgain, closed,
  ]

  /// A change; whatever is not listed changes nothing.
  struct Change: Hashable, Sendable {
    let place: Place
    let event: Event
    let step: Step
    let hasSent: Bool

    init(_ place: Place, _ event: Event, _ step: Step, _ hasSent: Bool = false) {
      self.place = place
      self.event = event
      self.step = step
      self.hasSent = hasSent
    }
  }

  static let changes =
    [
      Change(opening, .opened, .checking),
      Change(opening, .lost, .waiting),
      Change(checking, .passed, .ready),
      Change(checking, .lost, .waiting),
      Change(ready, .sent, .ready, true),
      Change(ready, .settled, .ready),
      Change(ready, .lost, .waiting),
      Change(sending, .sent, .ready, true),
      Change(sending, .settled, .ready),
      Change(sending, .lost, .waiting, true),
      Change(sending, .abandoned, .waiting),
      Change(waiting, .paused, .opening),
      Change(uncertain, .paused, .opening, true),
      Change(uncertain, .abandoned, .waiting),
      Change(openingAgain, .opened, .checking, true),
      Change(openingAgain, .lost, .waiting, true),
      Change(openingAgain, .abandoned, .opening),
      Change(checkingAgain, .passed, .ready, true),
      Change(checkingAgain, .lost, .waiting, true),
      Change(checkingAgain, .abandoned, .checking),
    ]
    + places.filter { $0 != closed }.map { Change($0, .ended, .closed) }

  @Test(arguments: places) func `every state can be reached`(place: Place) {
    #expect(place.state.step == place.step)
    #expect(place.state.hasSent == place.hasSent)
  }

  @Test func `every step is covered`() {
    #expect(Set(Self.places.map(\.step)) == Set(Step.allCases))
  }

  @Test(arguments: places, Event.allCases)
  func `handles every event in every state`(place: Place, event: Event) {
    var state = place.state
    state.handle(event)
    if let change = Self.changes.first(where: { $0.place == place && $0.event == event }) {
      #expect(state.step == change.step)
      #expect(state.hasSent == change.hasSent)
    } else {
      #expect(state == place.state)
    }
  }
}
