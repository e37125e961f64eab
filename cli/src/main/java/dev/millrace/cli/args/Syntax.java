package dev.millrace.cli.args;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments and options that a command accepts, and its help text.
 *
 * @param command its name
 * @param arguments what may follow the name, one line for each form
 * @param summary what it does, in a sentence
 * @param options in the order in which the help shows them
 * @param notes what else the help says; may be empty
 */
public record Syntax(
    String command, List<String> arguments, String summary, List<Option> options, String notes) {

  /** Widest first column of the help before an option gets a line of its own. */
  private static final int COLUMN = 28;

  /**
   * Every command has {@code --json} and {@code --help}; a command that rejects {@code --json} with
   * its own message declares it without a help text.
   */
  public Syntax {
    List<Option> all = new ArrayList<>(options);
    if (find(options, "--json") == null) {
      all.add(Option.JSON);
    }
    all.add(Option.HELP);
    options = List.copyOf(all);
  }

  @Nullable Option find(String word) {
    return find(options, word);
  }

  private static @Nullable Option find(List<Option> options, String word) {
    for (Option option : options) {
      if (option.matches(word)) {
        return option;
      }
    }
    return null;
  }

  /** The text that {@code --help} prints. */
  public String help() {
    StringBuilder out = new StringBuilder();
    String lead = "Usage: ";
    for (String form : arguments) {
      out.append(lead).append(("millrace " + command + ' ' + form).strip()).append('\n');
      lead = "       ";
    }
    out.append('\n').append(summary).append("\n\nOptions:\n");
    for (Option option : options) {
      if (!option.help().isEmpty()) {
        line(out, option);
      }
    }
    if (!notes.isEmpty()) {
      out.append('\n').append(notes.strip()).append('\n');
    }
    return out.toString();
  }

  private static void line(StringBuilder out, Option option) {
    int from = out.length();
    out.append("  ");
    if (option.letter() == 0) {
      out.append("    ");
    } else {
      out.append('-').append(option.letter()).append(", ");
    }
    out.append(option.shown());
    if (option.value() != null) {
      out.append(' ').append(option.value());
    }
    if (out.length() - from >= COLUMN) {
      out.append('\n');
      from = out.length();
    }
    for (String text : option.help().split("\n")) {
      out.repeat(' ', Math.max(0, COLUMN - (out.length() - from))).append(text).append('\n');
      from = out.length();
    }
  }
}
