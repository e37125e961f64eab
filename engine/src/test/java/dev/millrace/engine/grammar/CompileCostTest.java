package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.budget.CompileLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small texts that ask for more work than there is time are refused, with the limit. */
@Timeout(60)
class CompileCostTest {
  private static final CompileLimits SMALL =
      new CompileLimits(2_000_000, CompileLimits.MAX_STATES, 16L << 20);
  private static final TestVocabulary VOCABULARY = TestVocabulary.bytesAnd("ab", "abc");

  @Test
  void allOfTwoReferencesFortyFiveDeepIsRefused() {
    assertThatThrownBy(() -> JsonSchema.compile(nestedAllOf(45)))
        .isInstanceOf(GrammarLimitException.class)
        .hasMessageContaining("more than 20000000 steps");
    assertThat(JsonSchema.compile(nestedAllOf(10))).isNotNull();
  }

  static Map<String, Object> nestedAllOf(int depth) {
    Map<String, Object> defs = new LinkedHashMap<>();
    for (int i = 0; i < depth; i++) {
      Map<String, Object> next = Map.of("$ref", "#/$defs/d" + (i + 1));
      defs.put("d" + i, Map.of("allOf", List.of(next, next)));
    }
    defs.put("d" + depth, Map.of("type", "string"));
    return Map.of("$ref", "#/$defs/d0", "$defs", defs);
  }

  @Test
  void allOfTwoReferencesToTheWholeIsRefused() {
    Map<String, Object> self = Map.of("$ref", "#");
    Map<String, Object> twice = Map.of("allOf", List.of(self, self));
    Map<String, Object> schema = Map.of("type", "object", "properties", Map.of("x", twice));
    assertRefused("more than", () -> JsonSchema.compile(schema));
  }

  @Test
  void oneOfWithManyRequiredReferencesIsRefused() {
    assertRefused("steps", () -> JsonSchema.compile(manyRequired(12)));
  }

  static Map<String, Object> manyRequired(int width) {
    Map<String, Object> defs = new LinkedHashMap<>();
    for (int level = 0; level < 8; level++) {
      Map<String, Object> properties = new LinkedHashMap<>();
      for (int i = 0; i < width; i++) {
        properties.put("p" + i, Map.of("$ref", "#/$defs/d" + (level + 1)));
      }
      List<String> required = List.copyOf(properties.keySet());
      defs.put(
          "d" + level, Map.of("type", "object", "properties", properties, "required", required));
    }
    defs.put("d8", Map.of("type", "string"));
    Map<String, Object> first = Map.of("$ref", "#/$defs/d0");
    return Map.of("$defs", defs, "oneOf", List.of(first, first));
  }

  @Test
  void aLongCountBesideManyLiteralsIsRefused() {
    assertThat(compile("root ::= [a-z]{99000}").bytes()).isLessThan(64 << 20);
    StringBuilder grammar = new StringBuilder("root ::= [a-z]{99000}");
    for (int c = 0; c < 120; c++) {
      grammar.append(" | \"\\x%02X%d\"".formatted(1 + c, c));
      grammar.append(" | \"\\u%04X%d\"".formatted(0x100 + c * 64 + c % 64, c));
    }
    assertRefused("16777216 bytes", () -> compile(grammar.toString()));
  }

  @Test
  void patternsThatExplodeAreRefused() {
    assertRefused("more than", () -> pattern("^([ab]*a[ab]{20})$"));
    assertRefused("more than", () -> pattern("^(" + "a?".repeat(3000) + "){3000}$"));
    assertThat(pattern("^((a{1000}){1000})$")).isNotNull();
    StringBuilder letters = new StringBuilder("^[");
    for (int c = 0x4e00; c < 0x9000; c += 2) {
      letters.append((char) c);
    }
    assertThat(pattern(letters + "]$")).isNotNull();
    assertRefused("more than", () -> pattern(letters + "]{1000}$"));
    assertRefused("more than", () -> pattern("^" + "(a|bc)".repeat(40_000) + "$"));
  }

  @Test
  void rulesThatOnlyCallEachOtherAreRefused() {
    StringBuilder grammar = new StringBuilder("root ::= \"x\" r0\n");
    for (int i = 0; i < 60; i++) {
      grammar.append("r%d ::= r%d r%d\n".formatted(i, i + 1, i + 1));
    }
    assertRefused("steps", () -> compile(grammar.append("r60 ::= \"\"\n").toString()));
  }

  @Test
  void aGrammarThatIsLongWhenWrittenIsRefused() {
    StringBuilder pattern = new StringBuilder("(a*b*)*");
    for (int i = 0; i < 60; i++) {
      pattern.insert(0, '(').append("b*)*").insert(0, "c*");
    }
    Map<String, Object> schema = Map.of("type", "string", "pattern", "^" + pattern + "$");
    assertRefused("more than", () -> JsonSchema.compile(schema).toGbnf());
  }

  @Test
  void aOneOfWithHundredsOfDiscriminatedSchemasIsAccepted() {
    Map<String, Object> defs = new LinkedHashMap<>();
    List<Object> options = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      Map<String, Object> properties = new LinkedHashMap<>();
      properties.put("kind", Map.of("const", "k" + i));
      properties.put("a", Map.of("type", "string"));
      properties.put("b", Map.of("type", "integer"));
      defs.put(
          "d" + i,
          Map.of("type", "object", "properties", properties, "required", List.of("kind", "a")));
      options.add(Map.of("$ref", "#/$defs/d" + i));
    }
    CompileBudget budget = new CompileBudget();
    Map<String, Object> schema = Map.of("oneOf", options, "$defs", defs);
    assertThat(budget.call(() -> JsonSchema.compile(schema))).isNotNull();
  }

  @Test
  void oneBudgetCoversAllParts() {
    Map<String, Object> schema = nestedAllOf(10);
    CompileBudget one = new CompileBudget();
    one.call(() -> JsonSchema.compile(schema));
    CompileBudget two = new CompileBudget(new CompileLimits(2 * one.steps(), 1, Long.MAX_VALUE));
    List<Grammar> parts = new ArrayList<>();
    assertThatThrownBy(
            () ->
                two.call(
                    () -> {
                      for (int i = 0; i < 3; i++) {
                        parts.add(JsonSchema.compile(schema));
                      }
                      return null;
                    }))
        .isInstanceOf(GrammarLimitException.class);
    assertThat(parts).hasSize(2);
  }

  @Test
  void theSameTextCostsTheSameEveryTime() {
    CompileBudget first = new CompileBudget();
    CompileBudget second = new CompileBudget();
    first.call(() -> compile("root ::= [a-z]{500} | \"x\" root?"));
    second.call(() -> compile("root ::= [a-z]{500} | \"x\" root?"));
    assertThat(second.steps()).isEqualTo(first.steps()).isPositive();
    assertThat(second.bytes()).isEqualTo(first.bytes()).isPositive();
    assertThat(second.states()).isEqualTo(first.states()).isPositive();
  }

  @Test
  void anInterruptEndsIt() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> JsonSchema.compile(nestedAllOf(45)))
          .isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    }
  }

  private static void assertRefused(String limit, Supplier<?> work) {
    assertThatThrownBy(() -> new CompileBudget(SMALL).call(work))
        .isInstanceOf(GrammarLimitException.class)
        .hasMessageContaining(limit);
  }

  private static Constraint compile(String gbnf) {
    return Constraint.compile(Grammar.gbnf(gbnf), VOCABULARY);
  }

  private static Constraint pattern(String pattern) {
    return Constraint.compile(
        JsonSchema.compile(Map.of("type", "string", "pattern", pattern)), VOCABULARY);
  }
}
