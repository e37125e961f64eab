package dev.millrace.engine.llamacpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.engine.TestData;
import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.llamacpp.LlamaCpp.Cache;
import dev.millrace.engine.llamacpp.LlamaCpp.Settings;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LlamaCppTest {
  @TempDir Path directory;

  private Path model() throws IOException {
    return RandomModels.write(directory.resolve("m"), ModelShape.small("llama"), TensorType.F32, 2);
  }

  @Test
  void sequencesInOneBatchAreApart() throws IOException {
    int[][] texts = {{1, 300, 301, 302}, {1, 310, 311, 312}};
    try (LlamaCpp alone = LlamaCpp.load(model(), 1);
        LlamaCpp together = LlamaCpp.load(model(), Settings.of(1).context(64).sequences(2))) {
      together.clear();
      for (int position = 0; position < 4; position++) {
        for (int text = 0; text < 2; text++) {
          together.add(texts[text][position], position, text, true);
        }
        together.decode();
      }
      for (int text = 0; text < 2; text++) {
        float[] expected = alone.logits(texts[text])[3];
        assertThat(together.logitsOf(text)).containsExactly(expected, within(1e-2f));
      }
    }
  }

  @Test
  void generationFollowsTheLargestLogit() throws IOException {
    try (LlamaCpp peer = LlamaCpp.load(model(), 1)) {
      int[] generated = peer.generate(new int[] {1, 300}, 2);
      float[] logits = peer.logits(new int[] {1, 300, generated[0]})[2];
      for (float logit : logits) {
        assertThat(logit).isLessThanOrEqualTo(logits[generated[1]]);
      }
    }
  }

  @Test
  void preciseCacheChangesTheResultALittle() throws IOException {
    int[] tokens = {1, 300, 301, 302};
    try (LlamaCpp half = LlamaCpp.load(model(), 1);
        LlamaCpp full = LlamaCpp.load(model(), Settings.of(1).cache(Cache.F32))) {
      assertThat(full.logits(tokens)[3]).isNotEqualTo(half.logits(tokens)[3]);
      assertThat(full.logits(tokens)[3]).containsExactly(half.logits(tokens)[3], within(1e-2f));
    }
  }

  @Test
  void textBecomesTokens() {
    try (LlamaCpp peer = LlamaCpp.load(TestData.find("models/stories15M-Q8_0.gguf"), 1)) {
      assertThat(peer.tokenise("Once upon a time", true, false))
          .containsExactly(1, 9038, 2501, 263, 931);
      assertThat(peer.tokenise("<s>", false, true)).containsExactly(1);
    }
  }

  @Test
  void aRejectionNamesItsReason() throws IOException {
    Path file = directory.resolve("unknown.gguf");
    new GgufWriter().put("general.architecture", "abacus").write(file);
    assertThatThrownBy(() -> LlamaCpp.load(file, 1))
        .isInstanceOf(LlamaCppException.class)
        .hasMessageContaining("abacus");
  }
}
