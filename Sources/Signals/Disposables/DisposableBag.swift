/// Disposables that are disposed together when the last reference to the bag is released.
///
/// The same as `DisposeBag` of RxSwift, or a set of `AnyCancellable` of Combine: an object holds the
/// bag, and its subscriptions end with the object.
///
/// ```swift
/// @MainActor final class Screen {
///   private(set) var lines: [String] = []
///   private let bag = DisposableBag()
///
///   init(_ news: Signal<String, Never>) {
///     news.observe { [weak self] in self?.lines.append($0) }.store(in: bag)
///   }
/// }
/// ```
public final class DisposableBag: Disposable {
  private let members = CompositeDisposable()

  /// Makes an empty bag.
  public init() {}

  deinit {
    members.dispose()
  }

  /// Whether ``dispose()`` was called.
  public var isDisposed: Bool { members.isDisposed }

  /// Adds a disposable, or disposes it if the bag is already disposed.
  ///
  /// - Parameter member: The disposable to dispose together with the others.
  public func add(_ member: any Disposable) {
    members.add(member)
  }

  /// Disposes all members before the bag is released, and members that are added later.
  public func dispose() {
    members.dispose()
  }
}
