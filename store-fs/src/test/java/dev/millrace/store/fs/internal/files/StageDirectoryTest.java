package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StageDirectoryTest {

  @ParameterizedTest
  @CsvSource({
    "generate, 3-generate",
    "a.b_c-D9, 3-a.b_c-D9",
    "'image resize', 3-image%20resize",
    "100%, 3-100%25",
    "größe, 3-gr%C3%B6%C3%9Fe",
    "\\, 3-%5C",
    "-, 3--",
    "🙂, 3-%F0%9F%99%82"
  })
  void aNameIsTheNumberAndTheEncodedType(String type, String name) {
    assertThat(StageDirectory.name(3, type)).isEqualTo(name);
  }

  @Test
  void aLongNameIsCutAndEndsInAHash() {
    String one = StageDirectory.name(1000, "ß".repeat(128));
    String other = StageDirectory.name(1000, "ß".repeat(127) + "s");
    assertThat(one.getBytes(StandardCharsets.UTF_8)).hasSize(StageDirectory.MAX_NAME);
    assertThat(other).hasSize(StageDirectory.MAX_NAME).isNotEqualTo(one);
    assertThat(StageDirectory.name(1, "x".repeat(128))).isEqualTo("1-" + "x".repeat(128));
  }
}
