extension Disposable {
  /// Adds the disposable to others that are disposed together.
  ///
  /// The same as a bag of disposables in Rx: the owner holds one ``CompositeDisposable``, and
  /// disposes it in its `deinit`.
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
  /// - Parameter subscriptions: The disposables to add this one to. If they are already disposed,
  ///   this one is disposed immediately.
  @inlinable
  public func store(in subscriptions: CompositeDisposable) {
    subscriptions.add(self)
  }
}
