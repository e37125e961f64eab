package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatMessageNormalizerTest {
  private static Map<String, @Nullable Object> message(String json) {
    return ChatMessageNormalizer.normalize(Json.object(json).values());
  }

  @Test
  void textPartsAreJoined() {
    assertThat(
            message(
                """
                {"role": "user", "content": [{"type": "text", "text": "Write "},
                                             {"type": "text", "text": "a story."}]}
                """))
        .containsEntry("content", "Write a story.");
  }

  @Test
  void theRoleDeveloperBecomesSystem() {
    assertThat(message("{\"role\": \"developer\", \"content\": \"Be brief.\"}"))
        .containsEntry("role", "system")
        .containsEntry("content", "Be brief.");
  }

  @Test
  void anAssistantThatCallsToolsNeedsNoContent() {
    assertThat(message("{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{}]}"))
        .containsKey("tool_calls");
  }

  /** A model may write a name twice where its tool takes any object. */
  @Test
  void ofAnArgumentThatACallHasTwiceTheLastOneCounts() {
    String call =
        "{\"function\": {\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1, \\\"a\\\": 2}\"}}";
    assertThat(
            message("{\"role\": \"assistant\", \"tool_calls\": [" + call + "]}").get("tool_calls"))
        .hasToString("[{function={name=f, arguments={a=2}}}]");
  }

  @Test
  void fieldsThatNoTemplateReadsAreRefusedUnlessNull() {
    assertThat(message("{\"role\": \"user\", \"content\": \"x\", \"refusal\": null}"))
        .containsEntry("content", "x");
    assertThatThrownBy(() -> message("{\"role\": \"user\", \"content\": \"x\", \"zz\": 1}"))
        .isInstanceOf(TaskRefused.class)
        .hasMessage(
            "parameter \"messages: zz\" is not known here; known are: content, name, prefix,"
                + " reasoning_content, role, thinking, thought, tool_call_id, tool_calls");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {"content": "x"}                                                 | role
          {"role": "weird", "content": "x"}                                | weird
          {"role": "user"}                                                 | content
          {"role": "user", "content": null}                                | content
          {"role": "user", "content": 7}                                   | content
          {"role": "user", "content": [{"type": "image_url"}]}             | image_url
          {"role": "user", "content": [{"type": "text"}]}                  | text
          """)
  void partsThatAreNotTextAreRefusedByName(String json, String named) {
    assertThatThrownBy(() -> message(json))
        .isInstanceOf(TaskRefused.class)
        .hasMessageContaining(named)
        .hasMessageContaining("must be");
  }
}
