// swift-tools-version: 6.2

import PackageDescription

// All code runs on the main actor by default, as in a program with a user interface.
let package = Package(
  name: "ticker",
  dependencies: [.package(name: "enlist", path: "../..")],
  targets: [
    .executableTarget(
      name: "Ticker",
      dependencies: [
        .product(name: "Signals", package: "enlist"),
        .product(name: "SignalsTesting", package: "enlist"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]
    )
  ],
  swiftLanguageModes: [.v6]
)
