package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.automaton.AutomatonRunner;
import dev.millrace.engine.internal.grammar.automaton.ParseState;
import dev.millrace.engine.internal.grammar.automaton.PushdownAutomaton;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SchemaRegexParserTest {
  private static final java.util.BitSet ALL_BYTES = new java.util.BitSet();

  static {
    ALL_BYTES.set(0, 256);
  }

  private static final String LETTERS = "abcAZ09 _-.\n\t\"\\é愛😀\u2028";

  private static boolean found(PushdownAutomaton automaton, String value) {
    AutomatonRunner stacks = new AutomatonRunner(automaton);
    ParseState at = stacks.start();
    for (byte b : JsonSyntax.quote(value).getBytes(StandardCharsets.UTF_8)) {
      at = stacks.next(at, automaton.classes.of(b & 0xff));
    }
    return at.mayEnd;
  }

  private static PushdownAutomaton automaton(String pattern) {
    return PushdownAutomaton.of(
        JsonSchema.compile(Map.of("type", "string", "pattern", pattern)).rules(),
        ALL_BYTES,
        new CompileBudget());
  }

  @Test
  void randomPatternsFindWhatTheLibraryFinds() {
    int large = 0;
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String pattern = pattern(random);
      PushdownAutomaton automaton;
      try {
        automaton = automaton(pattern);
      } catch (GrammarLimitException refused) {
        large++;
        continue;
      }
      // the library's $ also matches before a last line end, its \s knows fewer characters and its
      // . more line ends
      var library = java.util.regex.Pattern.compile(pattern.replaceAll("\\$$", "\\\\z"));
      for (int i = 0; i < 12; i++) {
        String value = text(random);
        if (found(automaton, value) != library.matcher(value).find()) {
          throw new AssertionError(
              "seed %d: %s in %s".formatted(seed, pattern, JsonSyntax.quote(value)));
        }
      }
    }
    assertThat(large).as("patterns whose states multiply").isLessThan(4);
  }

  static String pattern(SplittableRandom random) {
    return (random.nextBoolean() ? "^" : "")
        + alternatives(random, 2)
        + (random.nextBoolean() ? "$" : "");
  }

  static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int[] letters = LETTERS.codePoints().toArray();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.appendCodePoint(letters[random.nextInt(random.nextBoolean() ? 3 : letters.length - 1)]);
    }
    return text.toString();
  }

  private static String alternatives(SplittableRandom random, int depth) {
    StringBuilder pattern = new StringBuilder("(?:");
    for (int i = random.nextInt(2); i >= 0; i--) {
      for (int j = random.nextInt(3); j >= 0; j--) {
        pattern.append(atom(random, depth)).append(quantifier(random));
      }
      pattern.append(i > 0 ? "|" : ")");
    }
    return pattern.toString();
  }

  private static String atom(SplittableRandom random, int depth) {
    String[] simple = {
      "a", "b", "c", "\\d", "\\w", "\\W", "\\D", ".", "[a-c]", "[^b]", "[\\d_-]", "\\\"", "\\\\",
      "\\n", "é", "愛", "[^\\w ]", "\\u00e9", "\\x41", "😀", "[愛-😀]", "\\."
    };
    return depth > 0 && random.nextInt(4) == 0
        ? alternatives(random, depth - 1)
        : simple[random.nextInt(simple.length)];
  }

  private static String quantifier(SplittableRandom random) {
    String[] all = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,3}?", "+?", "{1,}"};
    return all[random.nextInt(all.length)];
  }

  @Test
  void unsupportedPartsAreRejectedByName() {
    refused("a(?=b)", "look-around");
    refused("(?<!a)b", "look-around");
    refused("(a)\\1", "'\\1'");
    refused("\\bword", "'\\b'");
    refused("\\p{L}", "'\\p'");
    refused("a^b", "'^' elsewhere than first");
    refused("(a$)b", "'$' elsewhere than last");
    refused("a**", "a repetition of a repetition");
    refused("*a", "'*' without something");
    refused("(a", "a missing ')'");
    refused("a)", "')' without a group");
    refused("[a", "not closed");
    refused("[b-a]", "a range in a class");
    refused("a{2,1}", "{2,1}");
    refused("\\ud83d", "no character");
    refused("(".repeat(1000), "nested more than");
    assertThat(found(automaton("^(?<year>\\d{4})\\/x$"), "2024/x")).isTrue();
  }

  private static void refused(String pattern, String message) {
    assertThatThrownBy(() -> JsonSchema.compile(Map.of("type", "string", "pattern", pattern)))
        .as(pattern)
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("schema at #: pattern")
        .hasMessageContaining(message);
  }
}
