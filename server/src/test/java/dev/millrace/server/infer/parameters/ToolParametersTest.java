package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ToolParametersTest {
  private static ToolUse use(String choice) {
    String tools =
        "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"a\"}},"
            + " {\"type\": \"function\", \"function\": {\"name\": \"b\"}}]";
    String data = "{\"prompt\": \"p\", " + tools + ", \"tool_choice\": " + choice + "}";
    return Objects.requireNonNull(
        GenerateParameters.of(Json.object(data), null).tools().use(ToolCallFormat.GENERIC));
  }

  @Test
  void aNamedToolIsCalledOnce() {
    ToolUse named = use("{\"type\": \"function\", \"function\": {\"name\": \"b\"}}");
    assertThat(named.tools()).singleElement().satisfies(it -> assertThat(it.name()).isEqualTo("b"));
    assertThat(named.required()).isTrue();
    assertThat(named.parallel()).isFalse();
    assertThat(use("{\"type\": \"function\", \"name\": \"b\"}").parallel()).isFalse();
  }

  @Test
  void anyOtherChoiceMayBeSeveralCalls() {
    assertThat(use("\"required\"").parallel()).isTrue();
    assertThat(use("\"auto\"").parallel()).isTrue();
    String allowed =
        "{\"type\": \"allowed_tools\", \"mode\": \"required\","
            + " \"tools\": [{\"type\": \"function\", \"name\": \"b\"}]}";
    assertThat(use(allowed).parallel()).isTrue();
    assertThat(use(allowed).tools()).hasSize(1);
  }
}
