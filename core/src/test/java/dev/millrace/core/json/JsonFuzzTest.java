package dev.millrace.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Reading any text ends with a value or a {@link JsonException}. */
class JsonFuzzTest {
  private static final String ALPHABET =
      "{}[]\",:\\/u0123456789abcdefeE+-. \n\ttruefalsenull\0é\ud800\udc00";

  @Test
  void onlyJsonExceptionsEscape() {
    long seed = System.nanoTime();
    System.out.println("JsonFuzzTest: seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      String text = mutated(random, Json.write(JsonWriteTest.value(random, 3)));
      try {
        Object value = Json.parse(text);
        assertThat(Json.parse(Json.write(value))).as("seed %s: %s", seed, text).isEqualTo(value);
        read++;
      } catch (JsonException e) {
        assertThat(e.getMessage()).startsWith("not valid JSON at line ");
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed " + seed + ": " + text, e);
      }
    }
    assertThat(read).as("some mutations are harmless").isPositive();
  }

  private static String mutated(SplittableRandom random, String text) {
    StringBuilder out = new StringBuilder(text);
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      int at = random.nextInt(out.length() + 1);
      char c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
      switch (random.nextInt(4)) {
        case 0 -> out.insert(at, c);
        case 1 -> out.delete(at, Math.min(out.length(), at + 1 + random.nextInt(3)));
        case 2 -> out.replace(at, Math.min(out.length(), at + 1), String.valueOf(c));
        default -> out.insert(at, out.substring(random.nextInt(at + 1), at));
      }
    }
    return out.toString();
  }
}
