import Testing

@testable import enlist

@Suite struct ProgressBarTests {
  @Test(
    arguments: [
      (0, 1_000_000, "[------------------------------]   0 %  0.0 of 1.0 MB"),
      (300_000, 1_000_000, "[#########---------------------]  30 %  0.3 of 1.0 MB"),
      (12_345_678, 12_345_678, "[##############################] 100 %  12.3 of 12.3 MB"),
      (2_000_000, 1_000_000, "[##############################] 100 %  1.0 of 1.0 MB"),
      (0, 0, "[##############################] 100 %  0.0 of 0.0 MB"),
    ]
  )
  func `the bar shows the part that is done`(_ done: Int, _ total: Int, _ text: String) {
    #expect(ProgressBar.text(done, of: total) == text)
  }
}
