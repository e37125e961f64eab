package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.toolcall.ToolCallGrammar;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The grammar that an output follows from some point on: of its format, of calls, or of either.
 *
 * @param constraint null: only of calls
 * @param tools null: only of the format
 * @param shownTokens control tokens that the grammar may use
 */
public record OutputGrammar(
    @Nullable OutputConstraint constraint, @Nullable ToolUse tools, Set<Integer> shownTokens) {
  public OutputGrammar {
    shownTokens = Set.copyOf(shownTokens);
  }

  /** The same for equal grammars. It is short, whatever the size of the schemas. */
  public String key() {
    JsonObject key = JsonObject.create().put("shown", new TreeSet<>(shownTokens).toString());
    if (constraint != null) {
      key.put("constraint", constraint.toJson().values());
    }
    if (tools != null) {
      tools.addTo(key);
    }
    return key.toString();
  }

  /** Whether the output is free until it begins a call. */
  public boolean startsWithCall() {
    return tools != null && !tools.required() && constraint == null;
  }

  /** The texts that begin a call in an output that is free until then. */
  public List<String> triggers() {
    return tools != null && startsWithCall() ? tools.format().triggers(tools.tools()) : List.of();
  }

  /**
   * @throws TaskRefused if the format or a tool cannot be enforced; the message names the reason
   */
  public Grammar grammar() {
    if (tools == null) {
      return format().grammar();
    }
    try {
      if (startsWithCall()) {
        return ToolCallGrammar.lazy(tools.format(), tools.tools(), tools.parallel());
      }
      return tools.required()
          ? ToolCallGrammar.forced(tools.format(), tools.tools(), tools.parallel())
          : ToolCallGrammar.forcedOr(
              tools.format(), tools.tools(), tools.parallel(), format().grammar());
    } catch (GrammarException e) {
      throw refusal(e);
    }
  }

  private OutputConstraint format() {
    if (constraint == null) {
      throw new IllegalStateException("neither a format nor tools");
    }
    return constraint;
  }

  /** The refusal of a task whose grammar is not valid. */
  public TaskRefused refusal(GrammarException why) {
    String name = tools == null ? format().name() : "tools";
    return new TaskRefused(TaskRefused.Reason.PARAMETER, name, name + ": " + why.getMessage(), why);
  }
}
