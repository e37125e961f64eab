package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import dev.millrace.engine.internal.grammar.schema.UnsupportedKeywordException;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The grammar of a tool's arguments, by the schema of its parameters. A keyword that cannot be
 * enforced is refused for a strict tool, and left out for another one, so that the rest holds. Where
 * that is not possible either, the tool takes any object.
 */
final class ArgumentGrammar {
  /** The most keywords that are left out of one schema. */
  private static final int MAX_DROPPED = 64;

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
        : enforced(JsonSchema::compile, Grammar::jsonObject);
  }

  /** As {@link TagArgumentsStep} reads them. */
  Grammar tags() {
    return parameters.isEmpty()
        ? Grammar.text("")
        : enforced(schema -> new TagGrammar(schema).arguments(), TagGrammar::anyArguments);
  }

  private Grammar enforced(
      Function<Map<String, ? extends @Nullable Object>, Grammar> exact,
      Supplier<Grammar> anything) {
    Map<String, ? extends @Nullable Object> schema = parameters;
    for (int dropped = 0; dropped <= MAX_DROPPED; dropped++) {
      try {
        if (!new ArgumentTypes(schema).areAnObject()) {
          throw new GrammarException("schema at #: 'type' must be object");
        }
        return exact.apply(schema);
      } catch (GrammarLimitException e) { // what takes anything instead would hide the cost
        throw new GrammarLimitException("tool %s: %s".formatted(tool, e.getMessage()));
      } catch (GrammarException e) {
        if (strict) {
          throw new GrammarException(
              "tool %s is strict, but its parameters cannot be enforced: %s"
                  .formatted(tool, e.getMessage()));
        }
        Map<String, @Nullable Object> looser =
            e instanceof UnsupportedKeywordException keyword
                ? LooserSchema.without(schema, keyword)
                : null;
        if (looser == null) {
          break;
        }
        schema = looser;
      }
    }
    return anything.get();
  }
}
