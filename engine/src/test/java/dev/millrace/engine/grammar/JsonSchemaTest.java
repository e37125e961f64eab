package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.automaton.VocabularyTrie;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every text that a constraint allows is JSON that satisfies the schema. */
final class JsonSchemaTest {
  private static final int SCHEMAS = Boolean.getBoolean("millrace.proof") ? 3_000 : 150;

  @Test
  void textsOfRandomSchemasSatisfyThem() {
    VocabularyTrie trie = new VocabularyTrie(RandomJsonTexts.VOCABULARY);
    int checked = 0;
    for (int seed = 0; seed < SCHEMAS; seed++) {
      Map<String, @Nullable Object> schema = new RandomSchemas(seed).schema();
      Constraint constraint;
      try {
        constraint = Constraint.compile(JsonSchema.compile(schema), trie);
      } catch (GrammarException refused) {
        assertThat(refused.getMessage())
            .as("seed %d %s", seed, schema)
            .matches("(?s).*(minItems|lies between|'type' is both).*");
        continue;
      }
      SplittableRandom random = new SplittableRandom(seed);
      for (int walk = 0; walk < 4; walk++) {
        byte[] text = RandomJsonTexts.complete(constraint, random, 10 * walk);
        check(schema, text, seed);
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(SCHEMAS * 3);
  }

  private static void check(Map<String, @Nullable Object> schema, byte[] text, int seed) {
    String shown = new String(text, StandardCharsets.UTF_8);
    Object value;
    try {
      value = StrictJsonReader.read(text);
    } catch (IllegalArgumentException e) {
      throw new AssertionError("seed %d: %s makes %s".formatted(seed, schema, shown), e);
    }
    if (!SchemaValidator.holds(schema, value)) {
      throw new AssertionError("seed %d: %s does not allow %s".formatted(seed, schema, shown));
    }
  }

  @Test
  void anyJsonIsJson() {
    Constraint value = Constraint.compile(Grammar.json(), RandomJsonTexts.VOCABULARY);
    Constraint object = Constraint.compile(Grammar.jsonObject(), RandomJsonTexts.VOCABULARY);
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 300; i++) {
      StrictJsonReader.read(RandomJsonTexts.complete(value, random, i / 4));
      assertThat(StrictJsonReader.read(RandomJsonTexts.complete(object, random, i / 4)))
          .isInstanceOf(Map.class);
    }
  }
}
