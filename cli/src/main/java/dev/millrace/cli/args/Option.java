package dev.millrace.cli.args;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An option of a command.
 *
 * @param name the long form, without its dashes
 * @param letter the short form, without its dash; 0 if it has none
 * @param kind what its value is
 * @param value the placeholder for its value in the help; null if it is a flag. Shells complete
 *     files for one such as FILE, and directories for DIR
 * @param repeatable whether it may be given several times
 * @param help one or more lines
 * @param choices values that shells complete; the help names them, too
 */
public record Option(
    String name,
    char letter,
    Kind kind,
    @Nullable String value,
    boolean repeatable,
    String help,
    List<String> choices) {

  /** The type of an option's value, for configuration files that have types. */
  public enum Kind {
    /** No value. */
    FLAG,
    TEXT,
    WHOLE_NUMBER,
    NUMBER
  }

  public static final Option JSON = flag("json", "print JSON");
  public static final Option HELP = flag("help", "show this help").letter('h');
  public static final Option VERSION = flag("version", "show the version").letter('v');

  public static Option flag(String name, String help) {
    return new Option(name, '\0', Kind.FLAG, null, false, help, List.of());
  }

  public static Option value(String name, String value, String help) {
    return new Option(name, '\0', Kind.TEXT, value, false, help, List.of());
  }

  public static Option wholeNumber(String name, String value, String help) {
    return new Option(name, '\0', Kind.WHOLE_NUMBER, value, false, help, List.of());
  }

  public static Option number(String name, String value, String help) {
    return new Option(name, '\0', Kind.NUMBER, value, false, help, List.of());
  }

  public Option letter(char newLetter) {
    return new Option(name, newLetter, kind, value, repeatable, help, choices);
  }

  public Option many() {
    return new Option(name, letter, kind, value, true, help, choices);
  }

  public Option choices(String... newChoices) {
    return new Option(name, letter, kind, value, repeatable, help, List.of(newChoices));
  }

  /** The option as an error names it. */
  public String shown() {
    return "--" + name;
  }

  /** Whether {@code word} is this option as a user writes it, without a value. */
  boolean matches(String word) {
    if (word.length() == 2) {
      return letter != 0 && word.charAt(0) == '-' && word.charAt(1) == letter;
    }
    return word.length() == name.length() + 2 && word.startsWith("--") && word.endsWith(name);
  }
}
