package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class GrammarCompositionTest {
  private static boolean matches(Grammar grammar, String text) {
    Constraint.State state = Constraint.compile(grammar, TestVocabulary.bytesAnd()).start();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (!state.accept((b & 0xff) + 2)) {
        return false;
      }
    }
    return state.mayEnd();
  }

  @Test
  void partsKeepTheirRulesApart() {
    Grammar first = Grammar.gbnf("root ::= value+\nvalue ::= \"a\"");
    Grammar second = Grammar.gbnf("root ::= value value\nvalue ::= \"b\"");
    Grammar both = Grammar.sequence(List.of(first, second, Grammar.json()));
    assertThat(matches(both, "aaabb[1, {}]")).isTrue();
    assertThat(matches(both, "abb")).isFalse();
    assertThat(matches(both, "abba")).isFalse();
  }

  @Test
  void choicesAndRepetitions() {
    Grammar choice =
        Grammar.anyOf(List.of(Grammar.text("é"), Grammar.gbnf("root ::= \"x\" root?")));
    Grammar several = choice.repeated(1);
    assertThat(matches(several, "éxxé")).isTrue();
    assertThat(matches(several, "")).isFalse();
    assertThat(matches(choice.repeated(0), "")).isTrue();
    assertThat(matches(choice.optional(), "")).isTrue();
    assertThat(matches(choice.optional(), "éé")).isFalse();
    assertThat(matches(Grammar.sequence(List.of()), "")).isTrue();
    assertThatThrownBy(() -> Grammar.anyOf(List.of())).isInstanceOf(GrammarException.class);
  }

  @Test
  void partsOfASchemaSeeTheWhole() {
    Map<String, Object> schema =
        Map.of(
            "properties", Map.of("a/b", Map.of("items", Map.of("$ref", "#/$defs/c"))),
            "$defs", Map.of("c", Map.of("type", "boolean")));
    Grammar part = JsonSchema.compilePart(schema, "#/properties/a~1b");
    assertThat(matches(part, "[true, false]")).isTrue();
    assertThat(matches(part, "[1]")).isFalse();
    assertThatThrownBy(() -> JsonSchema.compilePart(schema, "#/properties/b"))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("#/properties/b");
  }
}
