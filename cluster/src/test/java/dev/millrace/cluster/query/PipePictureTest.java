package dev.millrace.cluster.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.LayerRange;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipePictureTest {
  @Test
  void everyLayerHasItsSignAndEveryStretchItsBar() {
    assertThat(
            PipePicture.of(
                10,
                List.of(new LayerRange(0, 2), new LayerRange(2, 5)),
                List.of(new LayerRange(4, 7)),
                80))
        .isEqualTo("|==|===~~XXX|");
  }

  @Test
  void aSignOfSeveralLayersShowsTheWorst() {
    assertThat(PipePicture.of(8, List.of(new LayerRange(0, 7)), List.of(), 4)).isEqualTo("|===X|");
    assertThat(PipePicture.of(8, List.of(new LayerRange(0, 5)), List.of(new LayerRange(5, 7)), 4))
        .isEqualTo("|==~X|");
  }

  @Test
  void rangesBeyondTheModelAreNotDrawn() {
    assertThat(PipePicture.of(3, List.of(new LayerRange(1, 9)), List.of(new LayerRange(5, 6)), 80))
        .isEqualTo("|X==|");
  }
}
