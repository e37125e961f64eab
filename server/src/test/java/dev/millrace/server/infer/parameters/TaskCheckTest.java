package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskCheckTest {
  private static final JsonObject NONE = JsonObject.create();

  @Test
  void aBlankPromptIsRefusedWhenItIsSubmitted() {
    TaskCheck check = new TaskCheck();
    assertThat(check.problem("generate", NONE, " \n")).isEqualTo("Empty prompt");
    assertThat(check.problem("generate", Json.object("{\"raw\": true}"), "\t"))
        .isEqualTo("Empty prompt");
    assertThat(check.problem("embed", NONE, " ")).isEqualTo("Empty prompt");
    assertThat(
            check.problem(
                "generate",
                NONE,
                Json.object("{\"messages\": [{\"role\": \"user\", \"content\": \" \"}]}").values()))
        .isEqualTo("Empty prompt");
    assertThat(check.problem("generate", NONE, "x")).isNull();
    assertThat(check.problem("resize", NONE, " ")).isNull();
  }

  @Test
  void aSchemaThatExplodesIsRefusedByNameWithTheLimit() {
    StringBuilder defs = new StringBuilder();
    for (int i = 0; i < 45; i++) {
      String next = "{\"$ref\": \"#/$defs/d%d\"}".formatted(i + 1);
      defs.append("\"d%d\": {\"allOf\": [%s, %s]}, ".formatted(i, next, next));
    }
    String schema =
        "{\"$ref\": \"#/$defs/d0\", \"$defs\": {%s\"d45\": {\"type\": \"string\"}}}"
            .formatted(defs);
    assertThat(problem("json_schema", Json.object(schema).values()))
        .startsWith("json_schema: ")
        .contains("more than 20000000 steps");
    Map<String, Object> function =
        Map.of("name", "f", "parameters", Map.of("type", "object", "properties", Map.of()));
    assertThat(problem("tools", List.of(Map.of("type", "function", "function", function))))
        .isNull();
    JsonObject parameters = Json.object(schema).put("type", "object");
    assertThat(
            problem(
                "tools",
                List.of(
                    Map.of(
                        "type",
                        "function",
                        "function",
                        Map.of("name", "f", "parameters", parameters.values())))))
        .startsWith("tools: tool f: ")
        .contains("more than");
  }

  @Test
  void aGrammarWithTooManyStatesIsRefusedBeforeItIsStored() {
    assertThat(problem("grammar", "root ::= [ab]* \"a\" [ab]{20}"))
        .startsWith("grammar: ")
        .contains("more than");
    assertThat(problem("grammar", "root ::= [a-z]{9000}")).isNull();
  }

  @Test
  void manySchemasOfOneRequestCostTogether() {
    TaskCheck check = new TaskCheck(Set.of(), 20_000);
    int accepted = 0;
    String problem = null;
    while (problem == null && accepted < 1000) {
      String grammar = "root ::= [a-z]{%d}".formatted(100 + accepted++);
      problem = check.problem("generate", JsonObject.create().put("grammar", grammar), "x");
    }
    assertThat(accepted).isBetween(2, 999);
    assertThat(problem).contains("more than 20000 steps");
  }

  @Test
  void stopsAndBiasesAreBounded() {
    List<String> stops = IntStream.range(0, 1024).mapToObj(i -> "s" + i).toList();
    assertThat(problem("stop", stops)).isNull();
    assertThat(problem("stop", IntStream.range(0, 1_600_000).mapToObj(i -> "s" + i).toList()))
        .contains("\"stop\" has 1600000 texts")
        .contains("at most 1024 with 16384");
    assertThat(problem("stop", List.of("x".repeat(16_385)))).contains("16385 characters");
    Map<String, Object> biases = new HashMap<>();
    IntStream.range(0, 300_001).forEach(i -> biases.put(String.valueOf(i), 1L));
    assertThat(problem("logit_bias", biases)).contains("300001 tokens; at most 300000");
    biases.remove("0");
    assertThat(problem("logit_bias", biases)).isNull();
  }

  private static @Nullable String problem(String parameter, Object value) {
    return new TaskCheck().problem("generate", JsonObject.create().put(parameter, value), "x");
  }
}
