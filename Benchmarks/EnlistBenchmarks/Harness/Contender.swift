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
  /// This package's reactive library.
  case signals = "Signals"
  /// This package's service.
  case enlist = "Enlist"
  /// A list of closures under a `Mutex`: what one would write by hand.
  case closureList = "closure list"
  /// A loop that looks at each byte once.
  case byteLoop = "byte loop"
  /// The cheapest request of the same route.
  case cheapest = "cheapest"
  case openCombine = "OpenCombine"
  case asyncAlgorithms = "AsyncAlgorithms"

  /// Whether it is what is measured, and not what it is compared with.
  var isOurs: Bool { self == .signals || self == .enlist }
  /// Whether it is the least that could be done, of which the others are multiples.
  var isFloor: Bool { self == .closureList || self == .byteLoop || self == .cheapest }
}
