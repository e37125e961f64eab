package dev.millrace.engine.toolcall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import dev.millrace.engine.grammar.TestVocabulary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ToolCallGrammarTest {
  private static final ConstraintCompiler COMPILER =
      new ConstraintCompiler(TestVocabulary.bytesAnd());
  private static final Map<String, @Nullable Object> CITY =
      Map.of(
          "type",
          "object",
          "properties",
          Map.of("city", Map.of("type", "string")),
          "required",
          List.of("city"));
  private static final Tool WEATHER = new Tool("weather", null, CITY, true);
  private static final Tool NOOP = new Tool("noop", null, Map.of(), true);
  private static final List<Tool> TOOLS = List.of(WEATHER, NOOP);

  /** Whether a text is complete, may go on (null), or is refused. */
  private static @Nullable Boolean matches(Grammar grammar, String text) {
    return matches(COMPILER.compile(grammar), text);
  }

  private static @Nullable Boolean matches(Constraint constraint, String text) {
    Constraint.State state = constraint.start();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (!state.accept((b & 0xff) + 2)) {
        return false;
      }
    }
    return state.mayEnd() ? Boolean.TRUE : null;
  }

  @Test
  void aForcedGrammarBeginsWithACall() {
    Grammar grammar = ToolCallGrammar.forced(ToolCallFormat.HERMES, TOOLS, true);
    String call =
        "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"é\"}}\n</tool_call>";
    assertThat(matches(grammar, call)).isTrue();
    assertThat(matches(grammar, call + "\n" + call.replace("\n", ""))).isTrue();
    assertThat(matches(grammar, "Hello")).isFalse();
    assertThat(matches(grammar, call.replace("weather", "other"))).isFalse();
    assertThat(matches(grammar, call.replace("city", "town"))).isFalse();
    assertThat(matches(grammar, call.replace("\"é\"", "5"))).isFalse();
    assertThat(matches(grammar, call.replace("</tool_call>", ""))).isNull();
    Grammar single = ToolCallGrammar.forced(ToolCallFormat.HERMES, TOOLS, false);
    assertThat(matches(single, call)).isTrue();
    assertThat(matches(single, call + "\n<")).isFalse();
  }

  @Test
  void anAnswerHasAtMostSixteenCalls() {
    String call = "<tool_call>{\"name\": \"noop\", \"arguments\": {}}</tool_call>";
    for (Grammar grammar :
        List.of(
            ToolCallGrammar.forced(ToolCallFormat.HERMES, TOOLS, true),
            ToolCallGrammar.lazy(ToolCallFormat.HERMES, TOOLS, true))) {
      assertThat(matches(grammar, call.repeat(16))).isTrue();
      assertThat(matches(grammar, call.repeat(16) + "<")).isFalse();
    }
  }

  @Test
  void writtenCallsFollowTheGrammarAndAreReadAgain() {
    ToolCall weather = new ToolCall("weather", Map.of("city", "\"a \\\"b\\\"\\n<é>\""));
    ToolCall noop = new ToolCall("noop", Map.of());
    for (ToolCallFormat format : ToolCallFormat.values()) {
      Constraint forced = COMPILER.compile(ToolCallGrammar.forced(format, TOOLS, true));
      OutputFormat read = new OutputFormat(null, false, format, TOOLS);
      for (List<ToolCall> calls : List.of(List.of(weather), List.of(noop, weather))) {
        String text = format.write(calls);
        assertThat(JoinedParts.of(new AssistantOutputParser(read), List.of(text), false))
            .as(text)
            .isEqualTo(calls.stream().map(ToolCallGrammarTest::line).toList());
        if (calls.size() == 1 || format != ToolCallFormat.LLAMA3) { // which has one call only
          assertThat(matches(forced, text)).as(text).isTrue();
        }
      }
    }
  }

  private static String line(ToolCall call) {
    StringBuilder members = new StringBuilder();
    call.arguments().forEach((k, v) -> members.append("\"%s\": %s".formatted(k, v)));
    return "call %s {%s}".formatted(call.name(), members);
  }

  @Test
  void aToolWithoutParametersTakesAnEmptyObject() {
    Grammar grammar = ToolCallGrammar.forced(ToolCallFormat.MISTRAL_SMALL, TOOLS, false);
    assertThat(matches(grammar, "[TOOL_CALLS]noop[ARGS]{}")).isTrue();
    assertThat(matches(grammar, "[TOOL_CALLS]noop[ARGS]{\"")).isFalse();
    assertThat(matches(grammar, "[TOOL_CALLS]noop[CALL_ID]a1b2c3d4e[ARGS]{}")).isTrue();
    assertThat(matches(grammar, "[TOOL_CALLS]weather[ARGS]{}")).isFalse();
  }

  @Test
  void whatCannotBeEnforcedLeavesTheRestInForce() {
    Map<String, @Nullable Object> digit =
        Map.of("type", "integer", "minimum", 1, "maximum", 3, "x-order", 1, "multipleOf", 7);
    Map<String, @Nullable Object> word = Map.of("type", "string", "pattern", "^(?=a)b");
    Map<String, @Nullable Object> parameters =
        Map.of(
            "type",
            "object",
            "properties",
            new TreeMap<>(Map.of("a", digit, "b/c", word)),
            "required",
            List.of("a", "b/c"),
            "additionalProperties",
            false,
            "minProperties",
            1,
            "if",
            Map.of());
    Tool tool = new Tool("f", null, parameters, false);
    Grammar json = ToolCallGrammar.forced(ToolCallFormat.MISTRAL_SMALL, List.of(tool), false);
    String call = "[TOOL_CALLS]f[ARGS]{\"a\": 2, \"b/c\": \"any\"}";
    assertThat(matches(json, call)).isTrue();
    assertThat(matches(json, call.replace('2', '4'))).isFalse();
    assertThat(matches(json, call.replace("\"any\"", "5"))).isFalse();
    assertThat(matches(json, call.replace("\"a\"", "\"x\""))).isFalse();
    Grammar tags = ToolCallGrammar.forced(ToolCallFormat.QWEN3_CODER, List.of(tool), false);
    String tagged =
        "<tool_call>\n<function=f>\n<parameter=a>\n2\n</parameter>\n<parameter=b/c>\nany\n"
            + "</parameter>\n</function>\n</tool_call>";
    assertThat(matches(tags, tagged)).isTrue();
    assertThat(matches(tags, tagged.replace('2', '4'))).isFalse();
    Tool strict = new Tool("f", null, parameters, true);
    assertThatThrownBy(() -> ToolCallGrammar.forced(ToolCallFormat.HERMES, List.of(strict), false))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("tool f is strict");
  }

  @Test
  void everyTriggerBeginsATextOfTheLazyGrammar() {
    for (ToolCallFormat format : ToolCallFormat.values()) {
      for (boolean parallel : new boolean[] {false, true}) {
        Constraint lazy = COMPILER.compile(ToolCallGrammar.lazy(format, TOOLS, parallel));
        List<String> triggers = format.triggers(TOOLS);
        assertThat(triggers).isNotEmpty();
        for (String trigger : triggers) {
          if (parallel || !trigger.contains("tool_calls")) {
            assertThat(matches(lazy, trigger)).as("%s %s", format, trigger).isNull();
          }
        }
      }
    }
  }

  @Test
  void aModelThatLeavesOutTheFirstOpenerMayGoOn() {
    String bare = "<function=noop>\n</function>\n</tool_call>";
    assertThat(matches(ToolCallGrammar.lazy(ToolCallFormat.QWEN3_CODER, TOOLS, true), bare))
        .isTrue();
    assertThat(matches(ToolCallGrammar.forced(ToolCallFormat.QWEN3_CODER, TOOLS, true), bare))
        .isFalse();
  }

  @Test
  void callsMayStandBesideAnotherGrammar() {
    Grammar answer =
        JsonSchema.compile(Map.of("type", "object", "properties", Map.of("a", Map.of())));
    Grammar grammar = ToolCallGrammar.forcedOr(ToolCallFormat.HERMES, TOOLS, true, answer);
    assertThat(matches(grammar, "{\"a\": [1]}")).isTrue();
    assertThat(matches(grammar, "<tool_call>{\"name\": \"noop\", \"arguments\": {}}</tool_call>"))
        .isTrue();
    assertThat(matches(grammar, "text")).isFalse();
  }

  @Test
  void aStrictToolThatCannotBeEnforcedIsRefusedByName() {
    for (ToolCallFormat format : ToolCallFormat.values()) {
      for (Map<String, @Nullable Object> schema :
          List.<Map<String, @Nullable Object>>of(
              Map.of("type", "object", "properties", Map.of("x", Map.of("not", Map.of()))),
              Map.of("type", "object", "patternProperties", Map.of()),
              Map.of("type", "string"))) {
        assertThatThrownBy(
                () ->
                    ToolCallGrammar.forced(
                        format, List.of(NOOP, new Tool("odd", null, schema, true)), true))
            .isInstanceOf(GrammarException.class)
            .hasMessageContaining("tool odd is strict")
            .hasMessageContaining("schema at #");
        ToolCallGrammar.forced(format, List.of(new Tool("odd", null, schema, false)), true);
      }
    }
  }

  @Test
  void aLenientToolThatCannotBeEnforcedTakesAnyObject() {
    Tool odd = new Tool("odd", null, Map.of("type", "object", "minProperties", 1), false);
    Grammar json = ToolCallGrammar.forced(ToolCallFormat.GENERIC, List.of(odd), false);
    assertThat(matches(json, "{\"name\": \"odd\", \"arguments\": {\"a\": [1, {}]}}")).isTrue();
    Grammar tags = ToolCallGrammar.forced(ToolCallFormat.QWEN3_CODER, List.of(odd), false);
    String call =
        "<tool_call>\n<function=odd>\n<parameter=a>\n</x>\n</parameter>\n</function>\n</tool_call>";
    assertThat(matches(tags, call)).isTrue();
    assertThat(matches(tags, call.replace("</x>", "</parameter>"))).isFalse();
  }

  @Test
  void tagsWriteStringsAsTheyAreAndOtherValuesAsJson() {
    Map<String, @Nullable Object> schema =
        Map.of(
            "type",
            "object",
            "properties",
            Map.of("v", Map.of("$ref", "#/$defs/v")),
            "required",
            List.of("v"),
            "$defs",
            Map.of("v", Map.of("type", "string", "format", "date")));
    Grammar date =
        ToolCallGrammar.forced(
            ToolCallFormat.QWEN3_CODER, List.of(new Tool("t", null, schema, true)), false);
    String call =
        "<tool_call>\n<function=t>\n<parameter=v>\n%s\n</parameter>\n</function>\n</tool_call>";
    assertThat(matches(date, call.formatted("\"2026-02-05\""))).isTrue();
    assertThat(matches(date, call.formatted("\"2026-02-35\""))).isFalse();
    Grammar text =
        ToolCallGrammar.forced(
            ToolCallFormat.QWEN3_CODER,
            List.of(
                new Tool(
                    "t",
                    null,
                    Map.of("type", "object", "properties", Map.of("v", Map.of("type", "string"))),
                    true)),
            false);
    assertThat(matches(text, call.formatted("<a> </par </parameter <<é\n\n"))).isTrue();
    assertThat(matches(text, call.formatted("</parameter>"))).isFalse();
  }

  @Test
  void aValueThatHasTheClosingTagIsWrittenInQuotes() {
    Map<String, @Nullable Object> schema =
        Map.of(
            "type",
            "object",
            "properties",
            Map.of("v", Map.of("type", "string", "enum", List.of("red", "a</parameter>\n"))),
            "required",
            List.of("v"));
    for (boolean strict : new boolean[] {true, false}) {
      List<Tool> tools = List.of(new Tool("t", null, schema, strict));
      Grammar grammar = ToolCallGrammar.forced(ToolCallFormat.QWEN3_CODER, tools, false);
      OutputFormat format = new OutputFormat(null, false, ToolCallFormat.QWEN3_CODER, tools);
      for (String value : List.of("\"red\"", "\"a</parameter>\\n\"")) {
        ToolCall call = new ToolCall("t", Map.of("v", value));
        String text =
            "<tool_call>\n<function=t>\n<parameter=v>\n%s\n</parameter>\n</function>\n</tool_call>"
                .formatted(value);
        assertThat(matches(grammar, text)).as(text).isTrue();
        assertThat(JoinedParts.of(new AssistantOutputParser(format), List.of(text), false))
            .isEqualTo(List.of(line(call)));
        assertThat(
                JoinedParts.of(
                    new AssistantOutputParser(format),
                    List.of(ToolCallFormat.QWEN3_CODER.write(List.of(call))),
                    false))
            .as("an earlier call in a prompt")
            .isEqualTo(List.of(line(call)));
      }
      assertThat(
              matches(grammar, "<tool_call>\n<function=t>\n<parameter=v>\n\"blue\"\n</parameter>"))
          .isFalse();
    }
  }

  @Test
  void callsNeedTools() {
    assertThatThrownBy(() -> ToolCallGrammar.forced(ToolCallFormat.GENERIC, List.of(), true))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Tool("no spaces", null, Map.of(), false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"no spaces\"");
  }

  @Test
  void grammarsCanBeWrittenAndReadAgain() {
    for (ToolCallFormat format : ToolCallFormat.values()) {
      Grammar forced = ToolCallGrammar.forced(format, TOOLS, true);
      Constraint grammar = COMPILER.compile(forced);
      Constraint again = COMPILER.compile(Grammar.gbnf(forced.toGbnf()));
      for (RecordedOutput output : RecordedOutput.all()) {
        String text = output.text().replace("get_weather", "weather");
        assertThat(matches(again, text)).as(text).isEqualTo(matches(grammar, text));
      }
    }
  }
}
