// swift-tools-version: 6.2

import PackageDescription

// A separate package, as a user of the library would write it: it depends only on `Signals`.
let package = Package(
  name: "sign-up-form",
  dependencies: [.package(name: "enlist", path: "../..")],
  targets: [
    .executableTarget(
      name: "SignUpForm", dependencies: [.product(name: "Signals", package: "enlist")],
      swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
