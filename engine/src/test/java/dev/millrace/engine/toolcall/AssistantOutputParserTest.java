package dev.millrace.engine.toolcall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.chat.ReasoningSplitter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AssistantOutputParserTest {
  private static final List<Tool> TOOLS =
      List.of(
          tool(
              "get_weather",
              Map.of("city", Map.of("type", "string"), "days", Map.of("type", "integer"))),
          tool(
              "search",
              Map.of(
                  "query", Map.of("type", "string"),
                  "note",
                      Map.of("anyOf", List.of(Map.of("type", "string"), Map.of("type", "null"))),
                  "filters", Map.of("type", "object"),
                  "tags", Map.of("type", "array"))),
          new Tool("noop", null, Map.of(), false));

  private static Tool tool(String name, Map<String, @Nullable Object> properties) {
    return new Tool(name, null, Map.of("type", "object", "properties", properties), false);
  }

  static Stream<RecordedOutput> outputs() {
    return RecordedOutput.all().stream();
  }

  private static List<String> parse(RecordedOutput output, boolean constrained, String... pieces) {
    Set<String> flags = output.flags();
    OutputFormat format =
        new OutputFormat(
            flags.contains("think") ? ReasoningSplitter.Tags.THINK : null,
            flags.contains("opened"),
            output.format(),
            TOOLS);
    return JoinedParts.of(
        new AssistantOutputParser(constrained ? format.withConstrainedCalls() : format),
        List.of(pieces),
        flags.contains("cut"));
  }

  @ParameterizedTest
  @MethodSource("outputs")
  void outputsAreParsedAlikeAtEveryCut(RecordedOutput output) {
    for (boolean constrained : new boolean[] {false, true}) {
      if (output.flags().contains(constrained ? "held" : "constrained")) {
        continue;
      }
      String text = output.text();
      assertThat(parse(output, constrained, text)).isEqualTo(output.expected());
      assertThat(parse(output, constrained, text.split(""))).isEqualTo(output.expected());
      for (int cut = 1; cut < text.length(); cut++) {
        List<String> parts =
            parse(output, constrained, text.substring(0, cut), text.substring(cut));
        if (!parts.equals(output.expected())) {
          assertThat(parts).as("cut at %d", cut).isEqualTo(output.expected());
        }
      }
    }
  }

  @Test
  void everyFormatHasRecordedOutputs() {
    Set<ToolCallFormat> seen = EnumSet.noneOf(ToolCallFormat.class);
    RecordedOutput.all().forEach(output -> seen.add(output.format()));
    assertThat(seen).containsExactly(ToolCallFormat.values());
  }

  @Test
  void aPlainModelHasThoughtsAndText() {
    OutputFormat format = new OutputFormat(ReasoningSplitter.Tags.THINK, false, null, List.of());
    assertThat(
            JoinedParts.of(
                new AssistantOutputParser(format),
                List.of("<think>a", "b</think>", "\n{\"name\": ", "\"noop\"}"),
                false))
        .containsExactly("thought \"ab\"", "text \"{\\\"name\\\": \\\"noop\\\"}\"");
    assertThat(
            JoinedParts.of(
                new AssistantOutputParser(new OutputFormat(null, false, null, List.of())),
                List.of("<think>a", " "),
                true))
        .containsExactly("text \"<think>a \"");
  }

  @Test
  void constrainedArgumentsAreGivenAsTheyArrive() {
    OutputFormat format =
        new OutputFormat(null, false, ToolCallFormat.HERMES, TOOLS).withConstrainedCalls();
    AssistantOutputParser parser = new AssistantOutputParser(format);
    List<OutputPart> parts = new ArrayList<>();
    parts.addAll(parser.feed("<tool_call>{\"name\": \"search\", \"arguments\": {\"que"));
    assertThat(parts)
        .containsExactly(
            new OutputPart.CallBegan(0, "search"), new OutputPart.CallArguments(0, "{\"que"));
    assertThat(parser.feed("ry\": \"a\n"))
        .containsExactly(new OutputPart.CallArguments(0, "ry\": \"a\\n"));
    assertThat(parser.feed("\"}")).containsExactly(new OutputPart.CallArguments(0, "\"}"));
    assertThat(parser.feed("}")).containsExactly(new OutputPart.CallEnded(0));
    assertThat(parser.feed("</tool_call>")).isEmpty();
    assertThat(parser.end(false)).isEmpty();
  }

  @Test
  void aCallThatIsCutHasNoEnd() {
    OutputFormat held = new OutputFormat(null, false, ToolCallFormat.HERMES, TOOLS);
    String text =
        "<tool_call>{\"name\": \"noop\", \"arguments\": {}}</tool_call>\n"
            + "<tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"a";
    List<OutputPart> first =
        List.of(
            new OutputPart.CallBegan(0, "noop"),
            new OutputPart.CallArguments(0, "{}"),
            new OutputPart.CallEnded(0));
    AssistantOutputParser parser = new AssistantOutputParser(held);
    assertThat(parser.feed(text)).isEqualTo(first);
    assertThat(parser.end(true)).isEmpty();
    parser = new AssistantOutputParser(held.withConstrainedCalls());
    assertThat(parser.feed(text))
        .startsWith(first.toArray(new OutputPart[0]))
        .endsWith(
            new OutputPart.CallBegan(1, "search"),
            new OutputPart.CallArguments(1, "{\"query\": \"a"));
    assertThat(parser.end(true)).isEmpty();
  }

  @Test
  void anAnswerOfCallsOnlyHasNoTextWhereItIsCut() {
    for (ToolCallFormat format : ToolCallFormat.values()) {
      String call = format.write(List.of(new ToolCall("search", Map.of("query", "\"a\""))));
      OutputFormat only = new OutputFormat(null, false, format, TOOLS).withCallsOnly();
      for (int end = 1; end <= call.length(); end++) {
        AssistantOutputParser parser = new AssistantOutputParser(only);
        List<OutputPart> parts = new ArrayList<>(parser.feed(call.substring(0, end)));
        parts.addAll(parser.end(true));
        assertThat(parts)
            .as("%s %s", format, call.substring(0, end))
            .noneMatch(OutputPart.Text.class::isInstance);
      }
    }
  }

  @Test
  void callsThatNoTriggerCoversAreHeldBackNonetheless() {
    OutputFormat format =
        new OutputFormat(null, false, ToolCallFormat.GENERIC, TOOLS).withConstrainedCalls();
    AssistantOutputParser parser = new AssistantOutputParser(format);
    assertThat(parser.feed("[{\"name\": \"search\", \"arguments\": {\"query\": \"a\"")).isEmpty();
    assertThat(parser.feed("}}"))
        .containsExactly(
            new OutputPart.CallBegan(0, "search"),
            new OutputPart.CallArguments(0, "{\"query\": \"a\"}"),
            new OutputPart.CallEnded(0));
    parser = new AssistantOutputParser(format);
    assertThat(parser.feed("{\"name\": \"search\", \"arguments\": {\"query\": \"a")).hasSize(2);
  }

  @Test
  void longAndDeepOutputsAreRead() {
    String deep = "{\"name\": \"search\", \"arguments\": {\"tags\": ";
    for (String unit : List.of(deep, "{\"function\": ", "[{", "```json\n{", "[", "{\"name\": \"")) {
      String text = unit.repeat(30_000 / unit.length());
      OutputFormat format = new OutputFormat(null, false, ToolCallFormat.GENERIC, TOOLS);
      List<OutputPart> parts = new ArrayList<>();
      AssistantOutputParser parser = new AssistantOutputParser(format);
      parts.addAll(parser.feed(text));
      parts.addAll(parser.end(false));
      StringBuilder joined = new StringBuilder();
      parts.forEach(part -> joined.append(((OutputPart.Text) part).text()));
      assertThat(joined.toString()).isEqualTo(text);
    }
  }
}
