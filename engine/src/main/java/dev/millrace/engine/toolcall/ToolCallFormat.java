package dev.millrace.engine.toolcall;

import dev.millrace.engine.internal.toolcall.CallSyntax;
import dev.millrace.engine.internal.toolcall.CallSyntaxCatalog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** How a family of models writes tool calls. */
public enum ToolCallFormat {
  /** Llama 3: a bare {@code {"name": …, "parameters": …}}. */
  LLAMA3("llama3", CallSyntaxCatalog.llama3()),
  /** Hermes, Qwen 2.5 and 3: a JSON object between {@code <tool_call>} and its closing tag. */
  HERMES("hermes", CallSyntaxCatalog.hermes()),
  /** Qwen3-Coder: {@code <function=…>} with a {@code <parameter=…>} for each argument. */
  QWEN3_CODER("qwen3-coder", CallSyntaxCatalog.qwen3Coder()),
  /** Mistral Nemo: {@code [TOOL_CALLS]} and a list of JSON objects. */
  MISTRAL_NEMO("mistral-nemo", CallSyntaxCatalog.mistralNemo()),
  /** Mistral Small 3.2, Devstral, Ministral: {@code [TOOL_CALLS]name[ARGS]} and the arguments. */
  MISTRAL_SMALL("mistral-small", CallSyntaxCatalog.mistralSmall()),
  /** DeepSeek R1: markers, and the arguments in a fenced block. */
  DEEPSEEK_R1("deepseek-r1", CallSyntaxCatalog.deepSeekR1()),
  /** DeepSeek V3.1: markers, and the bare arguments. */
  DEEPSEEK_V3_1("deepseek-v3.1", CallSyntaxCatalog.deepSeekV31()),
  /** Functionary 3.1: {@code <function=…>} and the arguments. */
  FUNCTIONARY("functionary", CallSyntaxCatalog.functionary()),
  /** Gemma 2 and 3: JSON, mostly in a fenced block. */
  GEMMA("gemma", CallSyntaxCatalog.gemma()),
  /** Phi-4-mini: {@code functools} and a list of JSON objects. */
  PHI4_MINI("phi4-mini", CallSyntaxCatalog.phi4Mini()),
  /** Any other model: a bare {@code {"name": …, "arguments": …}}. */
  GENERIC("generic", CallSyntaxCatalog.generic());

  private final String id;
  private final CallSyntax syntax;

  ToolCallFormat(String id, CallSyntax syntax) {
    this.id = id;
    this.syntax = syntax;
  }

  /** The format that a chat template writes; {@link #GENERIC} if it writes none that is known. */
  public static ToolCallFormat usedBy(String templateSource) {
    return TemplateMarkers.formatOf(templateSource);
  }

  /** The format with this id. */
  public static Optional<ToolCallFormat> named(String id) {
    return Stream.of(values()).filter(format -> format.id.equals(id)).findFirst();
  }

  public String id() {
    return id;
  }

  /**
   * Texts that begin a call of one of the tools: the {@link ToolCallGrammar#lazy} grammar holds
   * from the first character of such a text on.
   */
  public List<String> triggers(List<Tool> tools) {
    return syntax.triggers(tools.stream().map(Tool::name).toList());
  }

  /**
   * Markers of calls, which may be control tokens in a vocabulary: those tokens must be visible in
   * the output, and the grammar may use them.
   */
  public List<String> shownTexts() {
    return syntax.shownTexts();
  }

  /** The text of calls, which a parser reads as these calls again. */
  public String write(List<ToolCall> calls) {
    return syntax.write(calls.stream().map(it -> Map.entry(it.name(), it.arguments())).toList());
  }

  CallSyntax syntax() {
    return syntax;
  }
}
