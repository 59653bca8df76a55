/// A library that performs the operation of a row.
struct Contender {
  /// Who performs it.
  let library: Library
  /// Performs it so many times.
  let perform: (Int) async -> Void

  /// Makes one of a closure that performs the operation the number of times given.
  ///
  /// What is set up before, and once, is made by the caller and captured.
  init(_ library: Library, _ perform: @escaping (Int) async -> Void) {
    self.library = library
    self.perform = perform
  }
}

/// Who is compared.
enum Library: String, CaseIterable {
  /// This package's.
  case signals = "Signals"
  /// A list of closures under a `Mutex`: what one would write by hand.
  case floor = "closure list"
  case openCombine = "OpenCombine"
  case asyncAlgorithms = "AsyncAlgorithms"
}
