package dev.millrace.engine.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.llamacpp.LlamaCpp;
import dev.millrace.engine.llamacpp.LlamaCpp.Settings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With trained models, the engine tells the same stories as llama.cpp. */
@Tag("slow")
class StoriesLlamaCppTest {
  private static final int[] BEGIN = {1};

  private static EngineForward ours(Path file) {
    return EngineForward.load(file, LoadSettings.usual().withThreads(1).withContext(256));
  }

  @ParameterizedTest
  @CsvSource({"stories260K-f32, 200", "stories15M-F16, 100"})
  void greedyStoriesAreThoseOfLlamaCpp(String name, int count) {
    Path file = TestData.find("models/" + name + ".gguf");
    try (LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).context(256));
        EngineForward ours = ours(file)) {
      assertThat(ours.generate(BEGIN, count)).isEqualTo(peer.generate(BEGIN, count));
    }
  }

  /**
   * If two tokens are closer than llama.cpp's own error, either may be next, and the stories
   * differ.
   */
  @Test
  void quantizedStoriesDifferOnlyWhereTheChoiceIsClose() {
    Path file = TestData.find("models/stories15M-Q8_0.gguf");
    try (ReferenceModel reference = ReferenceModel.open(file);
        LlamaCpp peer = LlamaCpp.load(file, Settings.of(1).context(256));
        EngineForward ours = ours(file)) {
      int[] ourStory = ours.generate(BEGIN, 120);
      int[] theirs = peer.generate(BEGIN, 120);
      int[] text = IntStream.concat(IntStream.of(BEGIN), Arrays.stream(theirs)).toArray();
      double[][] expected = reference.logits(text);
      double error = largestDifference(peer.logits(text), expected);
      int parting = Arrays.mismatch(ourStory, theirs);
      if (parting >= 0) {
        assertThat(gap(expected[parting])).as("gap at token %d", parting).isLessThan(error);
      }
    }
  }

  private static double largestDifference(float[][] actual, double[][] expected) {
    double largest = 0;
    for (int i = 0; i < actual.length; i++) {
      for (int t = 0; t < actual[i].length; t++) {
        largest = Math.max(largest, Math.abs(actual[i][t] - expected[i][t]));
      }
    }
    return largest;
  }

  /** How far the likeliest token is ahead of the next one. */
  private static double gap(double[] logits) {
    double[] sorted = logits.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length - 1] - sorted[sorted.length - 2];
  }
}
