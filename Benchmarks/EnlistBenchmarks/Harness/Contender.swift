/// A library that performs the operation of a row.
struct Contender {
  /// The library that performs the operation.
  let library: Library
  /// Performs the operation the given number of times.
  let perform: (Int) async -> Void

  /// Makes a contender from a closure that performs the operation the given number of times.
  ///
  /// The caller makes whatever is set up only once, and the closure captures it.
  init(_ library: Library, _ perform: @escaping (Int) async -> Void) {
    self.library = library
    self.perform = perform
  }
}

/// The libraries and services that are compared.
enum Library: String, CaseIterable {
  /// This package's reactive library.
  case signals = "Signals"
  /// This package's service.
  case enlist = "Enlist"
  /// A handwritten list of closures under a `Mutex`.
  case closureList = "closure list"
  /// A loop that reads each byte once.
  case byteLoop = "byte loop"
  /// The cheapest request of the same route.
  case cheapest = "cheapest"
  case openCombine = "OpenCombine"
  case asyncAlgorithms = "AsyncAlgorithms"

  /// Whether this belongs to Enlist, instead of to what Enlist is compared with.
  var isOurs: Bool { self == .signals || self == .enlist }
  /// Whether this is the floor: the smallest possible cost, which ratios refer to.
  var isFloor: Bool { self == .closureList || self == .byteLoop || self == .cheapest }
}
