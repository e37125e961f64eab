package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.ReferenceModel;
import dev.millrace.engine.oracle.RelativeError;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbedderTest {
  private static final long SEED = 3;

  @TempDir Path directory;

  private Path model(String architecture) throws IOException {
    return RandomModels.write(
        directory.resolve(architecture), TinyShapes.shape(architecture), TensorType.F32, SEED);
  }

  private static int[] tokens(int count) {
    return new Random(SEED).ints(count, 0, 320).toArray();
  }

  private static Embedder embedder(PlainModel rig) {
    return new Embedder(rig.config, rig.settings, rig.segments.getFirst(), rig.end);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bert", "nomic-bert", "llama", "gemma3"})
  void vectorsAreThoseOfTheReference(String architecture) throws IOException {
    Path file = model(architecture);
    int[] tokens = tokens(45);
    try (PlainModel rig = new PlainModel(file, PlainModel.settings());
        ReferenceModel reference = ReferenceModel.open(file)) {
      for (Pooling pooling : Pooling.values()) {
        double[] expected = reference.embed(tokens, ReferenceModel.Pooling.valueOf(pooling.name()));
        double error = RelativeError.of(embedder(rig).embed(tokens, pooling, false), expected);
        assertThat(error).as("relative error with %s, seed %d", pooling, SEED).isLessThan(2e-5);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bert", "nomic-bert", "qwen3"})
  void vectorsOfSeveralTextsAreThoseOfEach(String architecture) throws IOException {
    try (PlainModel rig = new PlainModel(model(architecture), PlainModel.settings())) {
      int[][] texts =
          IntStream.of(3, 40, 33, 1, 250, 17, 2, 2, 2, 2, 2, 2, 2, 2, 2)
              .mapToObj(EmbedderTest::tokens)
              .toArray(int[][]::new);
      float[][] vectors = embedder(rig).embed(texts, Pooling.MEAN, false);
      for (int i = 0; i < texts.length; i++) {
        assertThat(vectors[i])
            .as("text %d, seed %d", i, SEED)
            .isEqualTo(embedder(rig).embed(texts[i], Pooling.MEAN, false));
      }
    }
  }

  @Test
  void longTextOfADecoderGoesThroughInSeveralTurns() throws IOException {
    Path file = model("llama");
    int[] tokens = tokens(3 * PlainModel.MAX_ROWS - 5);
    try (PlainModel rig = new PlainModel(file, PlainModel.settings());
        PlainModel wide = new PlainModel(file, PlainModel.settings().withBatches(256, 1))) {
      assertThat(embedder(rig).embed(tokens, Pooling.MEAN, true))
          .isEqualTo(embedder(wide).embed(tokens, Pooling.MEAN, true));
    }
  }

  @ParameterizedTest
  @EnumSource(Pooling.class)
  void normalisedVectorHasLengthOne(Pooling pooling) throws IOException {
    try (PlainModel rig = new PlainModel(model("bert"), PlainModel.settings())) {
      double squares = 0;
      for (float x : embedder(rig).embed(tokens(9), pooling, true)) {
        squares += (double) x * x;
      }
      assertThat(squares).isBetween(1 - 1e-6, 1 + 1e-6);
    }
  }

  @Test
  void aTextLongerThanTheContextIsRejected() throws IOException {
    try (PlainModel rig = new PlainModel(model("bert"), PlainModel.settings())) {
      Embedder embedder = embedder(rig);
      assertThat(embedder.embed(tokens(256), Pooling.MEAN, true)).hasSize(TinyShapes.WIDTH);
      assertThatThrownBy(() -> embedder.embed(tokens(257), Pooling.MEAN, true))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("257 tokens")
          .hasMessageContaining("1 to 256");
      assertThatThrownBy(() -> embedder.embed(new int[0], Pooling.MEAN, true))
          .isInstanceOf(EngineException.class);
    }
  }

  @Test
  void encoderHasNoHead() throws IOException {
    try (PlainModel rig = new PlainModel(model("bert"), PlainModel.settings())) {
      rig.add(0, tokens(1), 0, 1);
      assertThatThrownBy(() -> rig.logits(0))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("encoder");
    }
  }

  @Test
  void usualPoolingIsTheFilesElseTheArchitectures() throws IOException {
    try (PlainModel bert = new PlainModel(model("bert"), PlainModel.settings());
        PlainModel llama = new PlainModel(model("llama"), PlainModel.settings())) {
      assertThat(embedder(bert).usualPooling()).isEqualTo(Pooling.MEAN);
      assertThat(embedder(llama).usualPooling()).isEqualTo(Pooling.LAST);
    }
  }
}
