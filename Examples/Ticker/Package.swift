// swift-tools-version: 6.2

import PackageDescription

// Everything here belongs to the main actor, as in a program with a screen.
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
