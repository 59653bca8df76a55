// swift-tools-version: 6.2

import PackageDescription

// Deprecations stay warnings, so that a dependency's new release cannot break the build.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

let cSettings: [CSetting] = [
  .define("_GNU_SOURCE"),
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// What all modules around the list use.
let list: [Target.Dependency] = [
  "EmailAddresses", "MailingList", "Platform", "Security", "Signals",
]

/// A module in Sources; the excluded files are in the program by way of CResources.
func module(_ name: String, _ uses: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .target(name: name, dependencies: uses, exclude: exclude, swiftSettings: settings)
}

/// Tests, which may use any module; those in Tests/System run other programs.
func tests(_ name: String, path: String? = nil, exclude: [String] = []) -> Target {
  .testTarget(
    name: name,
    dependencies: list + [
      "CLibraries", "Delivery", "HTTPSignals", "Microhttpd",
      "PostgreSQLStorage", "SQLiteStorage", "SignalsFoundation", "SignalsTesting",
      "Services", "TestSupport", "enlist", argumentParser, httpTypes, logging,
    ],
    path: path ?? "Tests/\(name)", exclude: exclude, swiftSettings: settings)
}

/// A program in C that the benchmarks use.
func cProgram(
  _ name: String, _ uses: [Target.Dependency] = [], links libraries: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: uses, path: "Benchmarks/\(name)", cSettings: cSettings,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

let package = Package(
  name: "enlist",
  // The oldest systems with the atomics of Swift's Synchronization. Only Linux is tried.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  // Only the libraries: a package that uses one resolves what all declared products depend on, which
  // is nothing. The program is built all the same, and named after its target.
  products: ["Signals", "SignalsFoundation", "SignalsTesting"].map {
    .library(name: $0, targets: [$0])
  },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
    .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
  ],
  targets: [
    // The reactive library, which other packages can use on its own.
    module("Signals", exclude: ["README.md"]),
    module("SignalsFoundation", ["Signals"]),
    module("SignalsTesting", ["Signals"]),

    // The system: C libraries, files in the program, bytes, sockets, threads, metrics, TLS, secrets.
    .systemLibrary(
      name: "CLibraries",
      // Only libpq has its headers outside of the compiler's search path.
      pkgConfig: "libpq"),
    .target(name: "CResources", cSettings: cSettings),
    module("Platform", ["CLibraries", "CResources", "Signals", logging]),
    module("Security", ["CLibraries", "Platform"]),

    // The HTTP server.
    module("HTTPSignals", ["Platform", "Signals", httpTypes]),
    module(
      "Microhttpd",
      ["CLibraries", "HTTPSignals", "Platform", "Security", "Signals", httpTypes, logging]),

    // Addresses, the rules of the list, and its stores.
    .target(
      name: "EmailAddresses", dependencies: ["Platform"], swiftSettings: settings,
      // ICU, for the toolchain's Unicode tables, see UnicodeTables.
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    module(
      "MailingList",
      ["CLibraries", "CResources", "EmailAddresses", "Platform", "Security", "Signals"],
      exclude: ["Languages/Texts"]),
    module(
      "SQLiteStorage", list + ["CLibraries", "CResources"],
      exclude: ["Schema/tables.sql"]),
    module(
      "PostgreSQLStorage", list + ["CLibraries", "CResources"],
      exclude: ["Schema/SQL"]),

    // Mail, webhooks and DNS; the services of both listeners; the program.
    module("Delivery", list + ["CLibraries", "CResources"], exclude: ["Templates"]),
    module(
      "Services", list + ["CResources", "Delivery", "HTTPSignals", httpTypes, logging],
      exclude: ["Board/Resources", "Description/Resources", "Pages/Resources"]),
    .executableTarget(
      // The name of the program: an undeclared product is named after its target.
      name: "enlist",
      dependencies: list + [
        "Delivery", "HTTPSignals", "Microhttpd", "PostgreSQLStorage",
        "SQLiteStorage", "Services", argumentParser, logging,
      ],
      path: "Sources/Enlist", swiftSettings: settings),

    // Benchmarks. In a separate module, so that inlining is realistic.
    .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
    .executableTarget(
      name: "EnlistBenchmarks",
      dependencies: [
        "CAllocations", "EmailAddresses", "HTTPSignals", "MailingList", "Microhttpd", "Platform",
        "Security", "Signals", "Services", argumentParser, httpTypes, logging,
      ],
      path: "Benchmarks/EnlistBenchmarks", exclude: ["Peers"],
      resources: [.embedInCode("Thresholds.json")], swiftSettings: settings),
    // Of Scripts/benchmark: a server to compare with, a reader of many streams, and a relay.
    cProgram("HTTPFloor", ["CLibraries"], links: ["gnutls", "microhttpd", "pq", "sqlite3"]),
    cProgram("StreamLoad"),
    cProgram("MailSink"),

    .target(
      name: "TestSupport",
      dependencies: list + [
        "CLibraries", "HTTPSignals", "SQLiteStorage", "SignalsTesting", httpTypes, logging,
      ],
      path: "Tests/TestSupport", exclude: ["receiver.py", "relay.py"], swiftSettings: settings),
    tests("SignalsTests"),
    tests("PlatformTests"),
    tests("SecurityTests"),
    tests("HTTPSignalsTests"),
    tests("MicrohttpdTests"),
    tests("EmailAddressesTests"),
    tests("MailingListTests"),
    tests("SQLiteStorageTests"),
    tests("DeliveryTests"),
    tests("SubscribeServiceTests"),
    tests("OperatorServiceTests"),
    tests("EnlistTests"),
    tests("PostgreSQLStorageTests", path: "Tests/System/PostgreSQLStorageTests"),
    tests("SMTPTests", path: "Tests/System/SMTPTests"),
    tests(
      "SystemTests", path: "Tests/System",
      exclude: ["Nightly/ar.json", "PostgreSQLStorageTests", "SMTPTests"]),
  ],
  swiftLanguageModes: [.v6]
)

// The libraries that EnlistBenchmarks compares Signals with, if asked for. They are not in a package
// of their own, which could not reach `package` declarations.
if Context.environment["ENLIST_PEERS"] != nil {
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-async-algorithms", .upToNextMinor(from: "1.1.4")),
    .package(url: "https://github.com/OpenCombine/OpenCombine", .upToNextMinor(from: "0.14.0")),
  ]
  for target in package.targets where target.name == "EnlistBenchmarks" {
    target.exclude = []
    target.dependencies += [
      .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      .product(name: "OpenCombine", package: "OpenCombine"),
    ]
    target.swiftSettings = settings + [.define("PEERS")]
  }
}
