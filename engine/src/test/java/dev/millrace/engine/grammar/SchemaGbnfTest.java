package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.llamacpp.LlamaCpp;
import dev.millrace.engine.llamacpp.LlamaGrammar;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * llama.cpp's grammar engine reads the GBNF of every schema, and says the same as the masks: all
 * cases of the keywords again, and random texts of random schemas.
 */
final class SchemaGbnfTest extends SchemaKeywordsTest {
  private static final int SCHEMAS = Boolean.getBoolean("millrace.proof") ? 2_000 : 80;
  private static @Nullable LlamaCpp llama;
  private static @Nullable LlamaGrammar engine;
  private static final Map<String, String> WRITTEN = new HashMap<>();

  @BeforeAll
  static void load() {
    Path house = Path.of("models/house/house.gguf");
    llama = LlamaCpp.load(Files.exists(house) ? house : Path.of("..").resolve(house), 1);
    engine = llama.grammar();
  }

  @AfterAll
  static void close() {
    if (llama != null) {
      llama.close();
    }
  }

  private static boolean matches(String gbnf, byte[] text) {
    return java.util.Objects.requireNonNull(engine).matches(gbnf, text);
  }

  @Override
  boolean accepts(String schema, String text) {
    String gbnf = WRITTEN.computeIfAbsent(schema, key -> grammar(key).toGbnf());
    return matches(gbnf, text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void textsOfRandomSchemasAndTheirMisspellingsAreJudgedAlike() {
    VocabularyTrie trie = new VocabularyTrie(RandomJsonTexts.VOCABULARY);
    int accepted = 0;
    int refused = 0;
    for (int seed = 0; seed < SCHEMAS; seed++) {
      Grammar grammar;
      Constraint constraint;
      try {
        grammar = JsonSchema.compile(new RandomSchemas(seed).schema());
        constraint = Constraint.compile(grammar, trie);
      } catch (GrammarException notSupported) {
        continue;
      }
      String gbnf = grammar.toGbnf();
      Constraint again = Constraint.compile(Grammar.gbnf(gbnf), trie);
      SplittableRandom random = new SplittableRandom(seed);
      for (int walk = 0; walk < 3; walk++) {
        byte[] text = RandomJsonTexts.complete(constraint, random, 10 * walk);
        for (byte[] each : new byte[][] {text, misspelled(text, random)}) {
          boolean ours = passes(constraint, each);
          String place = "seed %d: %s\n%s".formatted(seed, shown(each), gbnf);
          assertThat(matches(gbnf, each)).as(place).isEqualTo(ours);
          assertThat(passes(again, each)).as(place).isEqualTo(ours);
          accepted += ours ? 1 : 0;
          refused += ours ? 0 : 1;
        }
      }
    }
    assertThat(accepted).isGreaterThan(2 * SCHEMAS);
    assertThat(refused).isGreaterThan(SCHEMAS);
  }

  private static String shown(byte[] text) {
    return new String(text, StandardCharsets.UTF_8);
  }

  /** One character of ASCII is another one, or gone. */
  private static byte[] misspelled(byte[] text, SplittableRandom random) {
    StringBuilder characters = new StringBuilder(shown(text));
    int at = random.nextInt(characters.length());
    if (Character.isSurrogate(characters.charAt(at))) {
      at = 0;
    }
    if (random.nextBoolean()) {
      characters.deleteCharAt(at);
    } else {
      characters.setCharAt(at, " 0-.:,\"\\{}[]a".charAt(random.nextInt(13)));
    }
    return characters.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static boolean passes(Constraint constraint, byte[] text) {
    Constraint.State state = constraint.start();
    for (byte b : text) {
      if (!state.accept((b & 0xff) + 2)) {
        return false;
      }
    }
    return state.mayEnd();
  }

  @Test
  void largeCountsAreSplit() {
    for (String counts : new String[] {"'maxLength':2600", "'minLength':700,'maxLength':2999"}) {
      String schema = "{'type':'string'," + counts + "}";
      for (int length : new int[] {0, 249, 250, 251, 699, 700, 2499, 2600, 2601, 2999, 3000}) {
        String text = "'" + "x".repeat(length) + "'";
        assertThat(accepts(schema, text))
            .as("%s %d", schema, length)
            .isEqualTo(super.accepts(schema, text));
      }
    }
    assertThat(grammar("{'type':'string','pattern':'^((ab?){2,99}c){3,200}$'}").toGbnf())
        .as("a group with a count would multiply the counts in it")
        .contains("{2,99}", "{3,200}")
        .doesNotContain("){");
    assertThat(grammar("{'type':'string','maxLength':100000}").toGbnf())
        .hasSizeLessThan(100_000)
        .doesNotContainPattern("\\{\\d*,?[3-9]\\d\\d");
  }

  @Test
  void partsThatMayBeEmptyAreRepeated() {
    for (String pattern :
        new String[] {"^(a*)*$", "^(a?b?)+c$", "^(|a){2,}$", "^((a*)*|b){0,3}$"}) {
      String schema = "{'type':'string','pattern':'" + pattern + "'}";
      for (String text : "'' 'a' 'b' 'aa' 'ab' 'ba' 'c' 'abc' 'bac' 'bb' 'bbb' 'bbbb'".split(" ")) {
        assertThat(accepts(schema, text))
            .as("%s %s", pattern, text)
            .isEqualTo(super.accepts(schema, text));
      }
    }
  }
}
