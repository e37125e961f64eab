package dev.millrace.engine.internal.token.pretokenize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.token.TestTokenizers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SplitPatternTest {

  private static List<String> split(String text, TextSplitter... splits) {
    byte[] bytes = TestTokenizers.utf8(text);
    CodePointText points = CodePointText.of(bytes, 0, bytes.length);
    IntList ends = new PreTokenizer(splits).words(points);
    List<String> words = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < ends.size(); i++) {
      words.add(
          text.substring(
              text.offsetByCodePoints(0, from), text.offsetByCodePoints(0, ends.get(i))));
      from = ends.get(i);
    }
    return words;
  }

  @Test
  void theFirstAlternativeThatMatchesCounts() {
    assertThat(split("abab", TextSplitter.by("a|ab"))).containsExactly("a", "b", "a", "b");
    assertThat(split("abab", TextSplitter.by("ab|a"))).containsExactly("ab", "ab");
  }

  @Test
  void repetitionsBacktrack() {
    assertThat(split("  \n  x", TextSplitter.by("\\s*[\\n]+|\\s+(?!\\S)|\\s+")))
        .containsExactly("  \n", " ", " ", "x");
    assertThat(split("aaab", TextSplitter.by("a{2,3}[ab]"))).containsExactly("aaab");
    assertThat(split("aaa", TextSplitter.by("a{2,3}[ab]"))).containsExactly("aaa");
  }

  @Test
  void setsMayExcludeAndIntersect() {
    assertThat(split("aB\u00E9-1", TextSplitter.by("[\\p{L}&&[^a-z]]+")))
        .containsExactly("a", "B\u00E9", "-1");
    assertThat(split("a\u4E00\u00E9", TextSplitter.by("[^\\p{Han}]")))
        .containsExactly("a", "\u4E00", "\u00E9");
  }

  @Test
  void anOptionalGroupIsTakenIfItCan() {
    TextSplitter split = TextSplitter.by("[a-z]+(?:'s|'t)?");
    assertThat(split("it's don't o'x", split))
        .containsExactly("it's", " ", "don't", " ", "o", "'", "x");
  }

  @Test
  void everySpaceIsASpace() {
    assertThat(split("a\u00A0\u3000\u2028b", TextSplitter.by("\\s+")))
        .containsExactly("a", "\u00A0\u3000\u2028", "b");
    assertThat(split("\u3000\u3001", TextSplitter.by("[\u3000-\u3002]+")))
        .containsExactly("\u3000", "\u3001");
  }

  @Test
  void spacesAtTheEndOfEachPieceAreCutOff() {
    assertThat(split("ab  \ncd  ", TextSplitter.by("[\\n]"), TextSplitter.trailingSpace()))
        .containsExactly("ab", "  ", "\n", "cd", "  ");
  }

  @Test
  void digitsAreGroupedFromTheRight() {
    assertThat(split("a1234567b12", TextSplitter.digitGroups()))
        .containsExactly("a1", "234", "567", "b12");
  }

  @Test
  void anErrorInABuiltInExpressionIsABug() {
    assertThatThrownBy(() -> SplitPattern.of("(?:ab")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SplitPattern.of("\\p{X}")).hasMessageContaining("unknown property X");
  }
}
