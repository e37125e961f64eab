package dev.millrace.cli.command;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Settings from the environment. Each has a name {@code MILLRACE_…}, which wins, and the name
 * {@code NRVNA_…} that nrvna gives it; an empty one counts as not set.
 */
public record EnvironmentVariables(Shell shell) {
  private static final String OURS = "MILLRACE_";
  private static final String NRVNAS = "NRVNA_";

  /** A variable that is set. */
  public record Value(String variable, String text) {}

  /** The first of {@code names} that is set, each without its prefix; null if none is. */
  public @Nullable Value find(String... names) {
    for (String prefix : new String[] {OURS, NRVNAS}) {
      for (String name : names) {
        String text = shell.variable(prefix + name);
        if (text != null) {
          return new Value(prefix + name, text);
        }
      }
    }
    return null;
  }

  public @Nullable Integer integer(int least, int most, String... names) {
    Value value = find(names);
    return value == null ? null : Arguments.integer(value.variable(), value.text(), least, most);
  }

  public @Nullable Double number(double least, double most, String... names) {
    Value value = find(names);
    if (value == null) {
      return null;
    }
    try {
      double number = Double.parseDouble(value.text());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw wrong(value, "a number from " + plain(least) + " to " + plain(most));
  }

  /** The same, and 0 is not among them. */
  public @Nullable Double positive(double most, String... names) {
    Double number = number(0, most, names);
    if (number != null && number == 0) {
      throw wrong(find(names), "a number above 0, at most " + plain(most));
    }
    return number;
  }

  /** A whole number of 64 bits; 0 counts as not set. */
  public @Nullable Long seed(String... names) {
    Value value = find(names);
    try {
      Long seed = value == null ? null : Long.valueOf(value.text());
      return seed == null || seed == 0 ? null : seed;
    } catch (NumberFormatException e) {
      throw wrong(value, "a whole number of 64 bits; 0 stands for none");
    }
  }

  /** A yes or no. nrvna takes everything but 0 for yes; here another value than 0 and 1 is an error. */
  public @Nullable Boolean flag(String... names) {
    Value value = find(names);
    return switch (value == null ? "" : value.text()) {
      case "" -> null;
      case "0" -> false;
      case "1" -> true;
      default -> throw wrong(value, "0 or 1");
    };
  }

  static UsageException wrong(@Nullable Value value, String rule) {
    return value == null
        ? new UsageException(rule)
        : new UsageException(
            value.variable() + " must be " + rule + ", not \"" + value.text() + "\"");
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
