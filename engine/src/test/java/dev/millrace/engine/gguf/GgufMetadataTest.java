package dev.millrace.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.internal.gguf.GgufStrings;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GgufMetadataTest {
  private final GgufMetadata metadata =
      new GgufMetadata(
          Map.of(
              "text",
              "x",
              "small",
              7L,
              "large",
              1L << 40,
              "half",
              0.5,
              "yes",
              true,
              "longs",
              new long[] {1, 2},
              "huge",
              new long[] {1L << 40},
              "doubles",
              new double[] {0.5},
              "none",
              new Object[0]),
          "m.gguf");

  @Test
  void missingKeysHaveTheirFallbackOrAreNamed() {
    assertThat(metadata.string("no", "y")).isEqualTo("y");
    assertThat(metadata.integer("no", 3)).isEqualTo(3);
    assertThat(metadata.longInteger("no", 4)).isEqualTo(4);
    assertThat(metadata.number("no", 1.5f)).isEqualTo(1.5f);
    assertThat(metadata.flag("no", true)).isTrue();
    assertThat(metadata.findStrings("no")).isEmpty();
    assertThat(metadata.has("no")).isFalse();
    assertThatThrownBy(() -> metadata.integer("no"))
        .isInstanceOf(GgufException.class)
        .hasMessage("m.gguf: key \"no\" (an integer) is missing");
  }

  @Test
  void valuesOfAnotherTypeAreRejectedWithTheirType() {
    assertThatThrownBy(() -> metadata.integer("text", 1))
        .hasMessage("m.gguf: key \"text\" must be an integer, not a string");
    assertThatThrownBy(() -> metadata.integer("half"))
        .hasMessageContaining("must be an integer, not the number 0.5");
    assertThatThrownBy(() -> metadata.string("small"))
        .hasMessageContaining("must be a string, not the integer 7");
    assertThatThrownBy(() -> metadata.strings("longs"))
        .hasMessageContaining("an array of strings, not an array of integers");
    assertThatThrownBy(() -> metadata.flag("small", true)).hasMessageContaining("a boolean");
  }

  @Test
  void integersAreNarrowedOnlyWhereTheyFit() {
    assertThat(metadata.integer("small")).isEqualTo(7);
    assertThat(metadata.longInteger("large")).isEqualTo(1L << 40);
    assertThatThrownBy(() -> metadata.integer("large")).hasMessageContaining("1099511627776");
    assertThatThrownBy(() -> metadata.integers("huge")).hasMessageContaining("1099511627776");
  }

  @Test
  void numbersMayBeWrittenAsIntegers() {
    assertThat(metadata.number("small")).isEqualTo(7f);
    assertThat(metadata.numbers("longs")).containsExactly(1f, 2f);
    assertThat(metadata.numbers("doubles")).containsExactly(0.5f);
  }

  @Test
  void anEmptyArrayIsOneOfAnyType() {
    assertThat(metadata.strings("none")).isEmpty();
    assertThat(metadata.numbers("none")).isEmpty();
    assertThat(metadata.integers("none")).isEmpty();
  }

  @Test
  void bytesThatAreNoUtf8SurviveTheRoundTrip() {
    byte[][] samples = {
      {(byte) 0xFF},
      {'a', (byte) 0x80, 'b'},
      {(byte) 0xC3},
      {(byte) 0xE2, (byte) 0x82},
      {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
      {(byte) 0xC0, (byte) 0x80},
      {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
      {(byte) 0xF0, (byte) 0x9D, (byte) 0x84},
      "\uFFFD".getBytes(StandardCharsets.UTF_8),
      "𝄞\uFFFDé".getBytes(StandardCharsets.UTF_8)
    };
    for (byte[] sample : samples) {
      String text = GgufStrings.decode(sample, 0, sample.length);
      assertThat(GgufStrings.encode(text)).isEqualTo(sample);
      boolean valid = new String(sample, StandardCharsets.UTF_8).equals(text);
      assertThat(GgufStrings.hasEscapedBytes(text)).isEqualTo(!valid);
    }
    for (int first = 0; first < 256; first++) {
      for (int second = 0; second < 256; second++) {
        byte[] pair = {(byte) first, (byte) second, (byte) 0xBF};
        assertThat(GgufStrings.encode(GgufStrings.decode(pair, 0, 3))).isEqualTo(pair);
      }
    }
  }
}
