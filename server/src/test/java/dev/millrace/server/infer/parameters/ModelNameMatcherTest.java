package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ModelNameMatcherTest {
  private static List<String> matches(String text, String... names) {
    return ModelNameMatcher.matches(List.of(names), text);
  }

  @Test
  void theNameItselfWins() {
    assertThat(matches("tiny", "tiny-large", "Tiny", "tiny", "a/tiny")).containsExactly("tiny");
    assertThat(matches("x.gguf", "x", "x.gguf")).containsExactly("x.gguf");
  }

  @Test
  void theWholeNameOfAFileWinsOverAPart() {
    assertThat(matches("TINY", "tiny-large", "tiny")).containsExactly("tiny");
    assertThat(matches("tiny", "tiny-large", "publisher/repository/Tiny"))
        .containsExactly("publisher/repository/Tiny");
    assertThat(matches("tiny", "tinyllama:latest", "tiny:latest", "tiny:1b"))
        .containsExactly("tiny:latest");
    assertThat(matches("tiny", "bob/tiny:latest", "tiny:latest")).containsExactly("tiny:latest");
    assertThat(matches("Tiny.gguf", "tiny", "tiny-large")).containsExactly("tiny");
    assertThat(matches("big-00002-of-00003.GGUF", "big", "bigger")).containsExactly("big");
  }

  @Test
  void aPartIsFoundWhateverItsCase() {
    assertThat(matches("q4_k", "a/Llama-Q4_K_M", "b/llama-Q8_0")).containsExactly("a/Llama-Q4_K_M");
    assertThat(matches("pub/", "pub/a", "other/b")).containsExactly("pub/a");
  }

  @Test
  void wholeNamesCanBeAskedForAlone() {
    List<String> names = List.of("a/tiny", "tiny-b");
    assertThat(ModelNameMatcher.wholeMatches(names, "TINY")).containsExactly("a/tiny");
    assertThat(ModelNameMatcher.wholeMatches(names, "tin")).isEmpty();
  }

  @Test
  void allCandidatesOfAnAmbiguousTextAreFound() {
    assertThat(matches("tiny", "tiny-b", "x", "a/tiny-c")).containsExactly("tiny-b", "a/tiny-c");
    assertThat(matches("m", "a/m", "b/m", "mm")).containsExactly("a/m", "b/m");
  }

  @Test
  void nothingIsFoundForAnUnknownOrEmptyText() {
    assertThat(matches("none", "tiny")).isEmpty();
    assertThat(matches("", "tiny")).isEmpty();
    assertThat(matches(".gguf", "tiny")).isEmpty();
  }
}
