package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import java.util.List;

/**
 * A command as man pages and completions show it.
 *
 * @param program a program of its own that starts the command, such as {@code wrk}; empty if none
 *     does
 * @param summary one line, in lower case
 */
public record ManualEntry(String program, String summary, Syntax syntax) {
  String name() {
    return syntax.command();
  }

  /** The options that the help shows. */
  List<Option> options() {
    return syntax.options().stream().filter(option -> !option.help().isEmpty()).toList();
  }
}
