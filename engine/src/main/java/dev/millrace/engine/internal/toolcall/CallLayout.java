package dev.millrace.engine.internal.toolcall;

import dev.millrace.engine.grammar.Grammar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a model writes calls.
 *
 * @param text as it writes them itself
 * @param beforeArguments what a grammar allows between the name and the arguments
 * @param afterArguments likewise to the end of the call
 * @param use when the layout is allowed
 */
record CallLayout(CallText text, Grammar beforeArguments, Grammar afterArguments, Use use) {
  /** The most calls of one answer: a small model might go on with calls for ever. */
  static final int MOST_CALLS = 16;

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
        new CallText(begin, beforeName, beforeArguments, afterArguments, separator, end),
        spaced(beforeArguments),
        spaced(afterArguments),
        Use.ALWAYS);
  }

  CallLayout withBeforeArguments(Grammar allowed) {
    return new CallLayout(text, allowed, afterArguments, use);
  }

  CallLayout withAfterArguments(Grammar allowed) {
    return new CallLayout(text, beforeArguments, allowed, use);
  }

  CallLayout withUse(Use when) {
    return new CallLayout(text, beforeArguments, afterArguments, when);
  }

  /** Whether a model writes so many calls in this layout. */
  boolean writes(int calls) {
    return calls == 1 ? use == Use.ALWAYS : text.separator() != null;
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
    Grammar call =
        Grammar.sequence(
            List.of(spaced(text.beforeName()), Grammar.anyOf(choices), afterArguments));
    Grammar begin = spaced(text.begin());
    Grammar end = spaced(text.end());
    String separator = text.separator();
    if (separator == null || !parallel) {
      return Grammar.sequence(List.of(begin, call, end));
    }
    Grammar more = Grammar.sequence(List.of(spaced(separator), call)).repeated(0, MOST_CALLS - 1);
    return Grammar.sequence(List.of(begin, call, more, end));
  }

  /** The name of a tool and the grammar of its arguments. */
  record NamedArguments(String name, Grammar arguments) {}
}
