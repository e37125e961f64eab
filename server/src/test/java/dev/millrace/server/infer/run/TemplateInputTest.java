package dev.millrace.server.infer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.server.infer.parameters.GenerateParameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a model sees of a conversation, whatever its template shows by itself. */
class TemplateInputTest {
  private static final String PLAIN =
      "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}";
  private static final String CALL =
      "{\"id\": \"%s\", \"type\": \"function\", \"function\": {\"name\": \"%s\", \"arguments\":"
          + " \"{\\\"city\\\": \\\"%s\\\"}\"}}";
  private static final String TOOLS =
      "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"description\":"
          + " \"a forecast\", \"parameters\": {\"type\": \"object\", \"properties\": {\"city\":"
          + " {\"type\": \"string\", \"description\": \"a town\"}}}}}]";

  /** They fail on this conversation, or on any, and so say what they do not support. */
  private static final String[] REFUSING = {
    "Kimi-K2-Thinking.jinja",
    "ai-sage-GigaChat-20B-A3B-instruct.jinja",
    "llama-cpp-deepseek-r1.jinja",
    "meetkai-functionary-medium-v3.2.jinja"
  };

  private static String message(String role, String content, String more) {
    return "{\"role\": \"%s\", \"content\": \"%s\"%s}".formatted(role, content, more);
  }

  private static String calls(String content, String... calls) {
    return message("assistant", content, ", \"tool_calls\": [" + String.join(",", calls) + "]");
  }

  private static String result(String id, String content) {
    return message("tool", content, ", \"tool_call_id\": \"" + id + "\"");
  }

  private static String render(String source, String messages, String more) {
    return render(
        ChatTemplate.of(source, Map.of("bos_token", "<s>", "eos_token", "</s>"), Set.of()),
        messages,
        more);
  }

  private static String render(ChatTemplate template, String messages, String more) {
    JsonObject data = Json.object("{\"messages\": [" + messages + "]" + more + "}");
    Map<String, ?> variables = Map.of("enable_thinking", false);
    TemplateInput input =
        TemplateInput.of(
            template, GenerateParameters.of(data, null), variables, true, Instant.EPOCH);
    return template.render(input.messages(), input.tools(), variables, true, Instant.EPOCH).text();
  }

  @Test
  void callsAndResultsAreTextWhereTheTemplateDoesNotWriteThem() {
    String messages =
        String.join(
            ",",
            message("user", "u", ""),
            calls("Let me see.", CALL.formatted("c1", "weather", "Rome")),
            result("c1", "sunny"),
            calls(
                "", CALL.formatted("c2", "weather", "Oslo"), CALL.formatted("c3", "tide", "Kiel")),
            result("c2", "rain"),
            result("c3", "high"));
    assertThat(render(PLAIN, messages, ""))
        .isEqualTo(
            "[user]u[assistant]Let me see.\n"
                + "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}[user]Result of"
                + " weather:\n"
                + "sunny[assistant]{\"tool_calls\": [{\"name\": \"weather\", \"arguments\":"
                + " {\"city\": \"Oslo\"}}, {\"name\": \"tide\", \"arguments\": {\"city\":"
                + " \"Kiel\"}}]}[user]Result of weather:\n"
                + "rain\n\n"
                + "Result of tide:\n"
                + "high");
  }

  @Test
  void callsAreShownInTheFormThatIsAskedFor() {
    String messages =
        String.join(
            ",",
            message("system", "s", ""),
            message("user", "u", ""),
            calls("", CALL.formatted("c1", "weather", "Rome")),
            result("c1", "sunny"));
    assertThat(render(PLAIN, messages, ", \"tool_format\": \"mistral-small\", " + TOOLS))
        .startsWith("[system]s\n\nYou can call these functions:\n[{")
        .contains("in this form:\n[TOOL_CALLS]NAME[ARGS]{\"PARAMETER\": \"value\"}[user]u")
        .contains("[assistant][TOOL_CALLS]weather[ARGS]{\"city\": \"Rome\"}[user]");
  }

  @Test
  void namesAreWrittenWhereTheTemplateDoesNot() {
    String messages = message("user", "u", ", \"name\": \"Ada\"") + "," + message("user", "v", "");
    assertThat(render(PLAIN, messages, "")).isEqualTo("[user]Ada: u[user]v");
    String named = PLAIN.replace("{{ m.role }}", "{{ m.name or m.role }}");
    assertThat(render(named, messages, "")).isEqualTo("[Ada]u[user]v");
  }

  @Test
  void thoughtsOfEarlierAnswersAreLeftToTheTemplate() {
    String messages =
        message("user", "u", "")
            + ","
            + message("assistant", "a", ", \"reasoning_content\": \"hm\"")
            + ","
            + message("user", "v", "");
    assertThat(render(PLAIN, messages, "")).isEqualTo("[user]u[assistant]a[user]v");
    assertThat(
            render(
                PLAIN.replace("{{ m.content }}", "{{ m.reasoning_content }}{{ m.content }}"),
                messages,
                ""))
        .contains("[assistant]hma");
  }

  /** Or refuses the conversation: no call and no result is lost in silence. */
  @Test
  void everyRecordedTemplateShowsCallsAndResults() throws IOException {
    String messages =
        String.join(
            ",",
            message("user", "Look outside.", ""),
            calls("", CALL.formatted("call12345", "weather", "Timbuktu")),
            result("call12345", "4711 degrees"));
    Map<String, String> refused = new TreeMap<>();
    Map<String, String> hidden = new TreeMap<>();
    int shown = 0;
    for (Path file : templates()) {
      String name = file.getFileName().toString();
      try {
        String prompt = render(Files.readString(file), messages, ", " + TOOLS);
        if (prompt.contains("weather") && prompt.contains("Timbuktu") && prompt.contains("4711")) {
          shown++;
        } else {
          hidden.put(name, prompt);
        }
      } catch (ChatTemplateException e) {
        refused.put(name, String.valueOf(e.getMessage()));
      }
    }
    assertThat(hidden).isEmpty();
    assertThat(refused).containsOnlyKeys(REFUSING);
    assertThat(shown).isEqualTo(40);
  }

  /** A conversation of texts alone is rendered as it always was. */
  @Test
  void aConversationWithoutToolsAndNamesIsUnchanged() throws IOException {
    String messages =
        String.join(
            ",", message("user", "u", ""), message("assistant", "a", ""), message("user", "v", ""));
    for (Path file : templates()) {
      if (file.endsWith("ai-sage-GigaChat-20B-A3B-instruct.jinja")) {
        continue; // it needs a variable that no server has
      }
      ChatTemplate template =
          ChatTemplate.of(
              Files.readString(file), Map.of("bos_token", "<s>", "eos_token", "</s>"), Set.of());
      List<Map<String, String>> plain =
          List.of(
              Map.of("role", "user", "content", "u"),
              Map.of("role", "assistant", "content", "a"),
              Map.of("role", "user", "content", "v"));
      assertThat(render(template, messages, ""))
          .as(file.toString())
          .isEqualTo(
              template
                  .render(plain, null, Map.of("enable_thinking", false), true, Instant.EPOCH)
                  .text());
    }
  }

  private static List<Path> templates() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("../engine/src/test/resources/chat/templates"))) {
      return files.filter(file -> file.toString().endsWith(".jinja")).sorted().toList();
    }
  }
}
