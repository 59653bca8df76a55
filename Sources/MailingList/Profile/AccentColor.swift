internal import Glibc

/// The color of buttons and links (sRGB).
package struct AccentColor: Hashable, Sendable {
  private let red: Int
  private let green: Int
  private let blue: Int

  /// The smallest contrast of text that WCAG 2.1 allows (1.4.3).
  package static let minimumContrast = 4.5

  private init(_ red: Int, _ green: Int, _ blue: Int) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses `#RRGGBB`; `nil` if the text is invalid.
  package init?(_ text: String) {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.count == 6,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let value = Int(digits, radix: 16)
    else { return nil }
    self.init(value >> 16, value >> 8 & 0xFF, value & 0xFF)
  }

  /// The color as `#rrggbb`.
  package var text: String {
    "#" + String(0x100_0000 | red << 16 | green << 8 | blue, radix: 16).dropFirst()
  }

  /// Black or white, whichever has more contrast with the color.
  package var onAccent: AccentColor {
    let (black, white) = (AccentColor(0, 0, 0), AccentColor(255, 255, 255))
    return contrast(with: black) > contrast(with: white) ? black : white
  }

  /// The color for light grounds: darker, if it would be hard to read there.
  package var onLight: AccentColor { readable(on: AccentColor(0xFB, 0xFA, 0xF8), toward: 0) }

  /// The color for dark grounds: lighter, if it would be hard to read there.
  package var onDark: AccentColor { readable(on: AccentColor(0x1F, 0x1F, 0x1E), toward: 255) }

  /// Mixes the color with black or white until its contrast suffices.
  private func readable(on ground: AccentColor, toward end: Int) -> AccentColor {
    var result = self
    var step = 0
    while result.contrast(with: ground) < Self.minimumContrast, step < 64 {
      step += 1
      func mixed(_ value: Int) -> Int { value + (end - value) * step / 64 }
      result = AccentColor(mixed(red), mixed(green), mixed(blue))
    }
    return result
  }

  /// Returns the contrast with another color, from 1 to 21 (WCAG 2.1).
  package func contrast(with other: AccentColor) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// The relative luminance (WCAG 2.1).
  private var luminance: Double {
    func linear(_ value: Int) -> Double {
      let share = Double(value) / 255
      guard share > 0.04045 else { return share / 12.92 }
      return pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
