package dev.millrace.engine.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTest {

  private static List<String> split(String text, Split... splits) {
    byte[] bytes = Vocabularies.utf8(text);
    CodePoints points = CodePoints.of(bytes, 0, bytes.length);
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
    assertThat(split("abab", Split.by("a|ab"))).containsExactly("a", "b", "a", "b");
    assertThat(split("abab", Split.by("ab|a"))).containsExactly("ab", "ab");
  }

  @Test
  void repetitionsGiveBackWhatFollowsNeeds() {
    assertThat(split("  \n  x", Split.by("\\s*[\\n]+|\\s+(?!\\S)|\\s+")))
        .containsExactly("  \n", " ", " ", "x");
    assertThat(split("aaab", Split.by("a{2,3}[ab]"))).containsExactly("aaab");
    assertThat(split("aaa", Split.by("a{2,3}[ab]"))).containsExactly("aaa");
  }

  @Test
  void setsMayExcludeAndIntersect() {
    assertThat(split("aB\u00E9-1", Split.by("[\\p{L}&&[^a-z]]+")))
        .containsExactly("a", "B\u00E9", "-1");
    assertThat(split("a\u4E00\u00E9", Split.by("[^\\p{Han}]")))
        .containsExactly("a", "\u4E00", "\u00E9");
  }

  @Test
  void anOptionalGroupIsTakenIfItCan() {
    Split split = Split.by("[a-z]+(?:'s|'t)?");
    assertThat(split("it's don't o'x", split))
        .containsExactly("it's", " ", "don't", " ", "o", "'", "x");
  }

  @Test
  void everySpaceIsASpace() {
    assertThat(split("a\u00A0\u3000\u2028b", Split.by("\\s+")))
        .containsExactly("a", "\u00A0\u3000\u2028", "b");
    assertThat(split("\u3000\u3001", Split.by("[\u3000-\u3002]+")))
        .containsExactly("\u3000", "\u3001");
  }

  @Test
  void spacesAtTheEndOfEachPieceAreCutOff() {
    assertThat(split("ab  \ncd  ", Split.by("[\\n]"), Split.trailingSpace()))
        .containsExactly("ab", "  ", "\n", "cd", "  ");
  }

  @Test
  void digitsAreGroupedFromTheRight() {
    assertThat(split("a1234567b12", Split.digitGroups()))
        .containsExactly("a1", "234", "567", "b12");
  }

  @Test
  void aMistakeInAnExpressionIsADefect() {
    assertThatThrownBy(() -> Rule.of("(?:ab")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Rule.of("\\p{X}")).hasMessageContaining("unknown property X");
  }
}
