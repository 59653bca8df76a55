extension Disposable {
  /// Adds the disposable to a bag, which disposes it when the bag is released.
  ///
  /// - Parameter bag: The bag. If it is already disposed, this disposable is disposed immediately.
  @inlinable
  public func store(in bag: DisposableBag) {
    bag.add(self)
  }

  /// Adds the disposable to others that are disposed together, by a call of
  /// ``CompositeDisposable/dispose()``.
  ///
  /// - Parameter disposables: The disposables to add this one to. If they are already disposed,
  ///   this one is disposed immediately.
  @inlinable
  public func store(in disposables: CompositeDisposable) {
    disposables.add(self)
  }

  /// Stores the disposable in a variable, which disposes its previous one.
  ///
  /// ```swift
  /// private var request: ScopedDisposable?
  ///
  /// func load(_ page: Int) {
  ///   // Cancels the previous request.
  ///   api.page(page).observe { [weak self] in self?.show($0) }.store(in: &request)
  /// }
  /// ```
  ///
  /// - Parameter variable: The variable; what it holds is disposed when it is replaced, set to `nil`
  ///   or released.
  @inlinable
  public func store(in variable: inout ScopedDisposable?) {
    variable?.dispose()
    variable = ScopedDisposable(self)
  }
}
