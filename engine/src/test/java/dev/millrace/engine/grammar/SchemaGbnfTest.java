package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import dev.millrace.engine.llamacpp.LlamaCpp;
import dev.millrace.engine.llamacpp.LlamaGrammar;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  @Test
  void randomPatternsAreJudgedAlike() {
    int accepted = 0;
    for (int seed = 0; seed < SCHEMAS / 2; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String pattern = SchemaRegexParserTest.pattern(random);
      Grammar grammar = JsonSchema.compile(Map.of("type", "string", "pattern", pattern));
      Constraint constraint;
      try {
        constraint = Constraint.compile(grammar, BYTES);
      } catch (GrammarException tooLarge) {
        continue;
      }
      for (int i = 0; i < 6; i++) {
        byte[] text =
            JsonSyntax.quote(SchemaRegexParserTest.text(random)).getBytes(StandardCharsets.UTF_8);
        boolean ours = passes(constraint, text);
        assertThat(matches(grammar.toGbnf(), text))
            .as("seed %d: %s %s", seed, pattern, shown(text))
            .isEqualTo(ours);
        accepted += ours ? 1 : 0;
      }
    }
    assertThat(accepted).isBetween(SCHEMAS / 2, 5 * SCHEMAS / 2);
  }

  @Test
  void numbersBetweenBoundsAreJudgedAlike() {
    String[] bounds = {
      "'minimum':-120,'maximum':-7", "'minimum':-3,'maximum':45", "'minimum':99,'maximum':1000",
      "'exclusiveMinimum':17", "'maximum':-5", "'minimum':0.25,'exclusiveMaximum':10.5"
    };
    List<String> texts = new ArrayList<>();
    for (String text : "0 00 1 7 9 10 10.5 10.49 0.25 0.2 17 18 99 100 1000 1001 5".split(" ")) {
      texts.addAll(List.of(text, text + ".5", "-" + text, text + "e1"));
    }
    for (String type : new String[] {"integer", "number"}) {
      for (String bound : bounds) {
        assertJudgedAlike("{'type':'%s',%s}".formatted(type, bound), texts);
      }
    }
  }

  private static void assertJudgedAlike(String schema, List<String> texts) {
    Grammar grammar = grammar(schema);
    Constraint constraint = Constraint.compile(grammar, BYTES);
    String gbnf = grammar.toGbnf();
    for (String each : texts) {
      byte[] text = each.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
      assertThat(matches(gbnf, text)).as("%s %s", schema, each).isEqualTo(passes(constraint, text));
    }
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
    List<String> texts = new ArrayList<>();
    for (int length : new int[] {0, 249, 250, 251, 699, 700, 2499, 2600, 2601, 2999, 3000}) {
      texts.add("'" + "x".repeat(length) + "'");
    }
    assertJudgedAlike("{'type':'string','maxLength':2600}", texts);
    assertJudgedAlike("{'type':'string','minLength':700,'maxLength':2999}", texts);
    assertJudgedAlike("{'type':'string','minLength':700}", texts);
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
      assertJudgedAlike(
          "{'type':'string','pattern':'" + pattern + "'}",
          List.of("'' 'a' 'b' 'aa' 'ab' 'ba' 'c' 'abc' 'bac' 'bb' 'bbb' 'bbbb'".split(" ")));
    }
  }
}
