internal import Foundation
package import Testing

/// The Python programs of `Tests/requirements.txt`, which tests run.
package enum PythonPackages {
  /// The folder of the packages, for `PYTHONPATH`.
  package static let folder = Repository.root.appending(path: ".build-python").path
}

extension Trait where Self == ConditionTrait {
  /// The test needs Python programs of `Tests/requirements.txt`.
  package static var needsPython: Self {
    .enabled(
      if: FileManager.default.fileExists(atPath: "\(PythonPackages.folder)/installed.txt"),
      "the programs of Tests/requirements.txt are missing: Scripts/bootstrap all installs them")
  }
}
