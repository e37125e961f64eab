package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
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
}
