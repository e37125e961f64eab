package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.TestData;
import dev.millrace.engine.internal.gguf.Gguf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A real model of 260,000 weights, against what its reference implementation prints. */
class Stories260kTest {
  private static final int BOS = 1;

  @Test
  void greedyTextIsThatOfTheReferenceImplementation() throws IOException {
    Path file = TestData.find("models/stories260K-f32.gguf");
    String expected = Files.readString(TestData.find("models/stories260K-greedy-200.txt"));
    try (PlainModel rig = new PlainModel(file, PlainModel.settings())) {
      assertThat(text(file, generate(rig, 200)).strip()).isEqualTo(expected.strip());
    }
  }

  private static int[] generate(PlainModel rig, int count) {
    int[] tokens = new int[count + 1];
    tokens[0] = BOS;
    for (int i = 0; i < count; i++) {
      rig.batch.clear();
      rig.add(0, tokens, i, 1);
      rig.forward();
      tokens[i + 1] = greatest(rig.logits(0));
    }
    return tokens;
  }

  private static int greatest(float[] logits) {
    return IntStream.range(0, logits.length).reduce(0, (a, b) -> logits[b] > logits[a] ? b : a);
  }

  /** Sentence pieces as text: a low line stands for a space, {@code <0x0A>} for a byte. */
  private static String text(Path file, int[] tokens) {
    try (Gguf gguf = Gguf.open(file)) {
      String[] pieces = gguf.metadata().strings("tokenizer.ggml.tokens");
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int i = 1; i < tokens.length; i++) {
        String piece = pieces[tokens[i]];
        if (piece.startsWith("<0x")) {
          bytes.write(Integer.parseInt(piece.substring(3, 5), 16));
        } else {
          bytes.writeBytes(piece.replace('▁', ' ').getBytes(StandardCharsets.UTF_8));
        }
      }
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }
}
