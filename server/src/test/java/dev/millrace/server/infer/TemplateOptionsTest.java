package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.parameters.TaskRefused;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a chat template gets beside the messages. */
@Timeout(60)
class TemplateOptionsTest {
  private static final String TEMPLATE =
      "{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{% for c in m.tool_calls or [] %}"
          + "<{{ c.function.arguments.city }}>{% endfor %}{{ '[end]' }}{% endfor %}"
          + "{% if add_generation_prompt %}[assistant]{{ '<think>' if enable_thinking else '' }}"
          + "{{ mood or '' }}{% endif %}";

  private static Inference inference;
  private static DirectInference direct;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama()).withChatTemplate(TEMPLATE));
    direct = inference.direct();
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static String prompt(String messages, String more) throws InterruptedException {
    return direct.applyTemplate(Json.object("{\"messages\": [" + messages + "]" + more + "}"));
  }

  private static String message(String role, String content) {
    return "{\"role\": \"%s\", \"content\": \"%s\"}".formatted(role, content);
  }

  @Test
  void theLastMessageIsContinued() throws InterruptedException {
    String messages = message("user", "u") + "," + message("assistant", " so far ");
    assertThat(prompt(messages, ", \"continue_final_message\": true"))
        .isEqualTo("[user]u[end][assistant]so far");
    assertThat(prompt(messages, "")).endsWith("so far[end][assistant]<think>");
    assertThatThrownBy(() -> prompt(message("user", "u"), ", \"continue_final_message\": true"))
        .isInstanceOf(TaskRefused.class)
        .hasMessageContaining("continue_final_message");
  }

  @Test
  void effortSwitchesThinking() throws InterruptedException {
    assertThat(prompt(message("user", "u"), ", \"reasoning_effort\": \"none\""))
        .endsWith("[assistant]");
    assertThat(prompt(message("user", "u"), ", \"reasoning_effort\": \"high\""))
        .endsWith("[assistant]<think>");
    assertThatThrownBy(
            () ->
                prompt(
                    message("user", "u"), ", \"reasoning_effort\": \"none\", \"thinking\": true"))
        .hasMessage(
            "parameters \"reasoning_effort\" and \"thinking\" exclude each other; give one");
  }

  @Test
  void furtherVariablesReachTheTemplate() throws InterruptedException {
    String kwargs = ", \"chat_template_kwargs\": {\"mood\": \"!\", \"enable_thinking\": false}";
    assertThat(prompt(message("user", "u"), kwargs)).endsWith("[assistant]!");
    assertThatThrownBy(
            () -> prompt(message("user", "u"), ", \"chat_template_kwargs\": {\"messages\": 1}"))
        .hasMessageContaining("chat_template_kwargs");
  }

  @Test
  void theArgumentsOfEarlierCallsAreObjects() throws InterruptedException {
    String call =
        "{\"id\": \"1\", \"type\": \"function\", \"function\": {\"name\": \"f\", \"arguments\":"
            + " \"{\\\"city\\\": \\\"Rome\\\"}\"}}";
    String messages =
        message("user", "u")
            + ", {\"role\": \"assistant\", \"content\": \"\", \"tool_calls\": ["
            + call
            + "]}";
    assertThat(prompt(messages, ", \"thinking\": false"))
        .isEqualTo("[user]u[end][assistant]<Rome>[end][assistant]");
    assertThatThrownBy(() -> prompt(messages.replace("{\\\"city", "\\\"city"), ""))
        .hasMessageContaining("messages: tool_calls: arguments");
  }

  @Test
  void toolsThatTheTemplateDoesNotShowAreShownAsText() throws InterruptedException {
    String tools = ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"lookup\"}}]";
    assertThat(prompt(message("system", "s") + "," + message("user", "u"), tools))
        .startsWith("[system]s\n\nYou can call these functions:")
        .contains("\"lookup\"")
        .contains("[user]u[end]");
    assertThat(prompt(message("user", "u"), tools))
        .startsWith("[user]You can call these functions:");
    assertThat(prompt(message("user", "u"), tools + ", \"tool_choice\": \"none\""))
        .startsWith("[user]u[end]");
  }
}
