import Signals

/// A class of the main actor.
@MainActor final class Screen {
  private(set) var items: [String] = []
  private let bag = DisposableBag()

  init(_ names: Signal<String, Never>) {
    names.observe { [weak self] in self?.items.append($0) }.store(in: bag)
  }
}

/// A plain class, neither `Sendable` nor isolated: the initializer says on which actor it is used.
final class List {
  private(set) var items: [String] = []
  private let bag = DisposableBag()

  @MainActor init(_ names: Signal<String, Never>) {
    names.observe { [weak self] in self?.items.append($0) }.store(in: bag)
  }
}

/// An actor.
actor Store {
  private(set) var items: [String] = []
  private let bag = DisposableBag()

  func follow(_ names: Signal<String, Never>) {
    names.observe(on: self) { store, name in store.items.append(name) }.store(in: bag)
  }
}

/// Receives what other threads send in classes and actors, each on its own actor.
@main
struct Isolation {
  @MainActor static func main() async {
    let names = Subject<String, Never>()
    let screen = Screen(names.signal)
    let list = List(names.signal)
    let store = Store()
    await store.follow(names.signal)
    await Task.detached {
      for name in ["ana", "bo", "cy"] { names.send(name) }
    }.value
    // They arrive in turn, soon.
    while screen.items.count < 3 { await Task.yield() }
    while list.items.count < 3 { await Task.yield() }
    while await store.items.count < 3 { await Task.yield() }
    print("the screen has \(screen.items.joined(separator: ", "))")
    print("the list has \(list.items.joined(separator: ", "))")
    print("the store has \(await store.items.joined(separator: ", "))")
  }
}
