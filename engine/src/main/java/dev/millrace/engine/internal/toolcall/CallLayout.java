package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.grammar.Grammar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a grammar writes calls.
 *
 * @param begin before the first call
 * @param beforeName before the name of a tool
 * @param beforeArguments between the name and the arguments
 * @param afterArguments to the end of the call
 * @param separator between calls; null: there is one call only
 * @param end after the last call
 * @param use when the layout is allowed
 */
record CallLayout(
    Grammar begin,
    Grammar beforeName,
    Grammar beforeArguments,
    Grammar afterArguments,
    @Nullable Grammar separator,
    Grammar end,
    Use use) {
  /** When a layout is allowed. */
  enum Use {
    ALWAYS,
    /** Only where several calls are allowed. */
    PARALLEL,
    /** Only after a trigger: the model chose it. */
    LAZY
  }

  static CallLayout of(
      String begin,
      String beforeName,
      String beforeArguments,
      String afterArguments,
      @Nullable String separator,
      String end) {
    return new CallLayout(
        spaced(begin),
        spaced(beforeName),
        spaced(beforeArguments),
        spaced(afterArguments),
        separator == null ? null : spaced(separator),
        spaced(end),
        Use.ALWAYS);
  }

  CallLayout withBeforeArguments(Grammar text) {
    return new CallLayout(begin, beforeName, text, afterArguments, separator, end, use);
  }

  CallLayout withAfterArguments(Grammar text) {
    return new CallLayout(begin, beforeName, beforeArguments, text, separator, end, use);
  }

  CallLayout withUse(Use when) {
    return new CallLayout(begin, beforeName, beforeArguments, afterArguments, separator, end, when);
  }

  /** A text whose spaces and newlines may be left out. */
  static Grammar spaced(String text) {
    StringBuilder gbnf = new StringBuilder("root ::= \"\"");
    text.codePoints()
        .forEach(
            c -> {
              boolean blank = c == ' ' || c == '\n';
              gbnf.append(" \"\\U%08X\"".formatted(c)).append(blank ? "?" : "");
            });
    return Grammar.gbnf(gbnf.append('\n').toString());
  }

  /** Calls of tools, each with the grammar of its arguments. */
  Grammar grammar(List<NamedArguments> tools, boolean parallel) {
    List<Grammar> choices = new ArrayList<>();
    for (NamedArguments tool : tools) {
      choices.add(
          Grammar.sequence(List.of(Grammar.text(tool.name()), beforeArguments, tool.arguments())));
    }
    Grammar call = Grammar.sequence(List.of(beforeName, Grammar.anyOf(choices), afterArguments));
    if (separator == null || !parallel) {
      return Grammar.sequence(List.of(begin, call, end));
    }
    Grammar more = Grammar.sequence(List.of(separator, call)).repeated(0);
    return Grammar.sequence(List.of(begin, call, more, end));
  }

  /** The name of a tool and the grammar of its arguments. */
  record NamedArguments(String name, Grammar arguments) {}
}
