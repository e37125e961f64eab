package dev.millrace.cluster.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PipePictureTest {
  @Test
  void everyLayerHasItsSignAndEveryStretchItsBar() {
    assertThat(
            PipePicture.of(
                10, List.of(new Range(0, 2), new Range(2, 5)), List.of(new Range(4, 7)), 80))
        .isEqualTo("|==|===~~XXX|");
  }

  @Test
  void aSignOfSeveralLayersShowsTheWorst() {
    assertThat(PipePicture.of(8, List.of(new Range(0, 7)), List.of(), 4)).isEqualTo("|===X|");
    assertThat(PipePicture.of(8, List.of(new Range(0, 5)), List.of(new Range(5, 7)), 4))
        .isEqualTo("|==~X|");
  }

  @Test
  void rangesBeyondTheModelAreNotDrawn() {
    assertThat(PipePicture.of(3, List.of(new Range(1, 9)), List.of(new Range(5, 6)), 80))
        .isEqualTo("|X==|");
  }
}
