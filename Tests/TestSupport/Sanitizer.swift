internal import Glibc

/// The sanitizer that the tests and the programs that they start are built with.
package enum Sanitizer {
  /// Whether there is one.
  package static let isActive =
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
