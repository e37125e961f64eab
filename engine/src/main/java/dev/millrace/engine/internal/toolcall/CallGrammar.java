package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.toolcall.CallLayout.NamedArguments;
import dev.millrace.engine.internal.toolcall.CallLayout.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the tools that may be called, and makes the grammar of calls in a format. */
public final class CallGrammar {
  private final CallSyntax syntax;
  private final List<NamedArguments> tools = new ArrayList<>();

  public CallGrammar(CallSyntax syntax) {
    this.syntax = syntax;
  }

  public void add(String name, Map<String, ? extends @Nullable Object> parameters, boolean strict) {
    ArgumentGrammar arguments = new ArgumentGrammar(name, parameters, strict);
    tools.add(new NamedArguments(name, syntax.tags() ? arguments.tags() : arguments.json()));
  }

  /**
   * The calls.
   *
   * @param parallel whether several are allowed
   * @param lazy whether the model has begun the call by itself
   */
  public Grammar build(boolean parallel, boolean lazy) {
    return Grammar.anyOf(
        syntax.layouts().stream()
            .filter(layout -> layout.use() != Use.PARALLEL || parallel)
            .filter(layout -> layout.use() != Use.LAZY || lazy)
            .map(layout -> layout.grammar(tools, parallel))
            .toList());
  }
}
