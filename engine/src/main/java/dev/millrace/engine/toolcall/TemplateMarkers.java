package dev.millrace.engine.toolcall;

import java.util.List;

/** Recognizes the format of calls by what a chat template contains. */
final class TemplateMarkers {
  /**
   * One rule.
   *
   * @param all texts that the template contains
   * @param none texts that it does not contain
   */
  private record Rule(ToolCallFormat format, List<String> all, List<String> none) {
    boolean fits(String template) {
      return all.stream().allMatch(template::contains)
          && none.stream().noneMatch(template::contains);
    }
  }

  /** The first that fits decides. */
  private static final List<Rule> RULES =
      List.of(
          new Rule(
              ToolCallFormat.QWEN3_CODER,
              List.of("<tool_call>", "<function=", "<parameter="),
              List.of()),
          new Rule(
              ToolCallFormat.HERMES,
              List.of("<tool_call>", "arguments"),
              List.of("<arg_key>", "<tool_calls>", "<function=")),
          new Rule(ToolCallFormat.MISTRAL_SMALL, List.of("[TOOL_CALLS]", "[ARGS]"), List.of()),
          new Rule(ToolCallFormat.MISTRAL_NEMO, List.of("[TOOL_CALLS]"), List.of()),
          new Rule(
              ToolCallFormat.DEEPSEEK_R1, List.of("<｜tool▁calls▁begin｜>", "```json"), List.of()),
          new Rule(ToolCallFormat.DEEPSEEK_V3_1, List.of("<｜tool▁calls▁begin｜>"), List.of()),
          new Rule(
              ToolCallFormat.FUNCTIONARY,
              List.of("<function="),
              List.of("<tool_call>", "<parameter=")),
          new Rule(ToolCallFormat.PHI4_MINI, List.of("functools"), List.of()),
          new Rule(ToolCallFormat.PHI4_MINI, List.of("<|tool|>", "<|/tool|>"), List.of()),
          new Rule(
              ToolCallFormat.LLAMA3,
              List.of("<|start_header_id|>", "ipython", "parameters"),
              List.of("<function=")),
          new Rule(ToolCallFormat.GEMMA, List.of("<start_of_turn>"), List.of()));

  private TemplateMarkers() {}

  static ToolCallFormat formatOf(String template) {
    return RULES.stream()
        .filter(rule -> rule.fits(template))
        .map(Rule::format)
        .findFirst()
        .orElse(ToolCallFormat.GENERIC);
  }
}
