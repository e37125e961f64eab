package dev.millrace.engine.toolcall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.RandomJsonTexts;
import dev.millrace.engine.grammar.RandomSchemas;
import dev.millrace.engine.grammar.SchemaValidator;
import dev.millrace.engine.grammar.StrictJsonReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every text of a forced grammar is parsed into calls whose arguments satisfy the schema. */
final class RandomToolCallsTest {
  private static final int SEEDS = Boolean.getBoolean("millrace.proof") ? 300 : 5;

  @ParameterizedTest
  @EnumSource
  void forcedTextsAreValidCalls(ToolCallFormat format) {
    int calls = 0;
    int enforced = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Tool> tools = tools(format, seed, random);
      enforced += (int) tools.stream().filter(Tool::strict).count() - 1;
      boolean parallel = random.nextBoolean();
      Grammar grammar = ToolCallGrammar.forced(format, tools, parallel);
      Constraint constraint = Constraint.compile(grammar, RandomJsonTexts.VOCABULARY);
      for (int walk = 0; walk < 4; walk++) {
        byte[] text = RandomJsonTexts.complete(constraint, random, 25 * walk);
        int found = check(format, tools, text, "seed %d, walk %d".formatted(seed, walk));
        assertThat(found).isBetween(1, parallel ? 16 : 1);
        checkCut(format, tools, text, random);
        calls += found;
      }
    }
    assertThat(calls).isGreaterThanOrEqualTo(4 * SEEDS);
    assertThat(enforced).as("tools whose schema holds").isGreaterThan(SEEDS);
  }

  private static int check(ToolCallFormat format, List<Tool> tools, byte[] utf8, String place) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    OutputFormat held = new OutputFormat(null, false, format, tools);
    List<String> lines = JoinedParts.of(new AssistantOutputParser(held), List.of(text), false);
    assertThat(
            JoinedParts.of(
                new AssistantOutputParser(held.withConstrainedCalls()),
                List.of(text.split("")),
                false))
        .as("%s: %s", place, text)
        .isEqualTo(lines);
    for (String line : lines) {
      String[] words = line.split(" ", 3);
      assertThat(words[0]).as("%s: %s", place, text).isEqualTo("call");
      Tool tool = tools.stream().filter(it -> it.name().equals(words[1])).findFirst().orElseThrow();
      Object arguments = StrictJsonReader.read(words[2]);
      if (tool.parameters().isEmpty()) {
        assertThat(arguments).isEqualTo(Map.of());
      } else if (tool.strict()) {
        assertThat(SchemaValidator.holds(tool.parameters(), arguments))
            .as("%s: %s%n%s%n%s", place, text, line, tool.parameters())
            .isTrue();
      } else {
        assertThat(arguments).isInstanceOf(Map.class);
      }
    }
    return lines.size();
  }

  /** Of a text that is cut, the complete calls stay, given early or not. */
  private static void checkCut(
      ToolCallFormat format, List<Tool> tools, byte[] utf8, SplittableRandom random) {
    String text = new String(utf8, StandardCharsets.UTF_8);
    OutputFormat held = new OutputFormat(null, false, format, tools);
    List<String> whole = JoinedParts.of(new AssistantOutputParser(held), List.of(text), false);
    for (int i = 0; i < 10; i++) {
      String begun = text.substring(0, random.nextInt(text.length()));
      List<String> lines = JoinedParts.of(new AssistantOutputParser(held), List.of(begun), true);
      AssistantOutputParser early = new AssistantOutputParser(held.withConstrainedCalls());
      assertThat(JoinedParts.of(early, List.of(begun.split("")), true)).as(begun).isEqualTo(lines);
      lines.removeIf(line -> line.startsWith("text"));
      assertThat(whole.subList(0, lines.size())).as(begun).isEqualTo(lines);
    }
  }

  /** Tools whose strictness says whether their schema can be enforced. */
  private static List<Tool> tools(ToolCallFormat format, int seed, SplittableRandom random) {
    List<Tool> tools = new ArrayList<>();
    tools.add(new Tool("noop", null, Map.of(), true));
    for (int i = 0; i < 2; i++) {
      Tool tool = new Tool("tool_" + i, null, parameters(2 * seed + i, random), true);
      tools.add(isEnforced(format, tool) ? tool : lenient(tool));
    }
    return tools;
  }

  private static boolean isEnforced(ToolCallFormat format, Tool tool) {
    try {
      ToolCallGrammar.forced(format, List.of(tool), false);
      return true;
    } catch (GrammarException e) {
      assertThat(e).hasMessageContaining("tool " + tool.name() + " is strict");
      return false;
    }
  }

  private static Tool lenient(Tool tool) {
    return new Tool(tool.name(), null, tool.parameters(), false);
  }

  private static Map<String, @Nullable Object> parameters(int seed, SplittableRandom random) {
    Map<String, @Nullable Object> inner = new RandomSchemas(seed).schema();
    Object definitions = Objects.requireNonNull(inner.remove("$defs"));
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put("text", Map.of("type", "string"));
    properties.put("inner/%~", inner);
    properties.put("node", Map.of("$ref", "#/$defs/node"));
    properties.put("unit", Map.of("enum", List.of("a b", "\"", "</param", "\n")));
    properties.put("tag", Map.of("enum", List.of("a", "</parameter>", "\"</parameter>\n")));
    List<String> required = new ArrayList<>(properties.keySet());
    required.removeIf(name -> random.nextBoolean());
    Map<String, @Nullable Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", required);
    schema.put("$defs", definitions);
    return schema;
  }
}
