extension Disposable {
  /// Adds the disposable to others that are disposed together.
  ///
  /// What Rx calls a bag of disposables: the owner keeps one ``CompositeDisposable`` and disposes
  /// it when it goes.
  ///
  /// ```swift
  /// final class Screen: Sendable {
  ///   private let subscriptions = CompositeDisposable()
  ///
  ///   init(_ news: Signal<String, Never>) {
  ///     news.subscribe(next: { print($0) }).store(in: subscriptions)
  ///   }
  ///
  ///   deinit { subscriptions.dispose() }
  /// }
  /// ```
  ///
  /// - Parameter subscriptions: Keeps this one until it is disposed; when it is disposed already,
  ///   so is this one, at once.
  @inlinable
  public func store(in subscriptions: CompositeDisposable) {
    subscriptions.add(self)
  }
}
