package dev.millrace.engine.toolcall;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.toolcall.CallGrammar;
import java.util.List;

/** Grammars of tool calls. Every text of them is parsed into calls with valid arguments. */
public final class ToolCallGrammar {
  private ToolCallGrammar() {}

  /**
   * One call of one of the tools, or up to 16.
   *
   * @param tools those that may be called, at least one
   * @param parallel whether several calls are allowed, where the format has them
   * @throws GrammarException with the name of a strict tool whose schema cannot be enforced
   */
  public static Grammar forced(ToolCallFormat format, List<Tool> tools, boolean parallel) {
    return calls(format, tools).build(parallel, false);
  }

  /** What may follow a trigger of the format, from the trigger's first character on. */
  public static Grammar lazy(ToolCallFormat format, List<Tool> tools, boolean parallel) {
    return calls(format, tools).build(parallel, true);
  }

  /** Calls, or a text of another grammar. */
  public static Grammar forcedOr(
      ToolCallFormat format, List<Tool> tools, boolean parallel, Grammar otherwise) {
    return Grammar.anyOf(List.of(forced(format, tools, parallel), otherwise));
  }

  private static CallGrammar calls(ToolCallFormat format, List<Tool> tools) {
    if (tools.isEmpty()) {
      throw new IllegalArgumentException("calls need at least one tool");
    }
    CallGrammar grammar = new CallGrammar(format.syntax());
    tools.forEach(tool -> grammar.add(tool.name(), tool.parameters(), tool.strict()));
    return grammar;
  }
}
