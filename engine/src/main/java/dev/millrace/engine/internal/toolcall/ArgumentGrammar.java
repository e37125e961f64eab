package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grammar of a tool's arguments, by the schema of its parameters. What cannot be enforced is
 * refused for a strict tool; another one then takes anything.
 */
final class ArgumentGrammar {
  private final String tool;
  private final Map<String, ? extends @Nullable Object> parameters;
  private final boolean strict;

  ArgumentGrammar(String tool, Map<String, ? extends @Nullable Object> parameters, boolean strict) {
    this.tool = tool;
    this.parameters = parameters;
    this.strict = strict;
  }

  /** As a JSON object. */
  Grammar json() {
    return parameters.isEmpty()
        ? Grammar.text("{}")
        : enforced(() -> JsonSchema.compile(parameters), Grammar::jsonObject);
  }

  /** As {@link TagArgumentsStep} reads them. */
  Grammar tags() {
    return parameters.isEmpty()
        ? Grammar.text("")
        : enforced(() -> new TagGrammar(parameters).arguments(), TagGrammar::anyArguments);
  }

  private Grammar enforced(Supplier<Grammar> exact, Supplier<Grammar> anything) {
    try {
      if (!new ArgumentTypes(parameters).areAnObject()) {
        throw new GrammarException("schema at #: 'type' must be object");
      }
      return exact.get();
    } catch (GrammarException e) {
      if (strict) {
        throw new GrammarException(
            "tool %s is strict, but its parameters cannot be enforced: %s"
                .formatted(tool, e.getMessage()));
      }
      return anything.get();
    }
  }
}
