package dev.millrace.cli.args;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a command line by a {@link Syntax}. Options and other words may be mixed; {@code --} ends
 * the options; a value follows as {@code --name value}, {@code --name=value} or {@code -x value}.
 */
public final class ArgumentParser {
  private final Syntax syntax;
  private final String[] words;
  private int at;

  private ArgumentParser(Syntax syntax, String[] words, int from) {
    this.syntax = syntax;
    this.words = words;
    this.at = from;
  }

  /**
   * Parses the words from index {@code from} on.
   *
   * @throws UsageException if they do not match the syntax
   */
  public static Arguments parse(Syntax syntax, String[] words, int from) {
    return new ArgumentParser(syntax, words, from).parse();
  }

  /** Whether {@code option} is given anywhere, even if other options are wrong. */
  public static boolean asks(Syntax syntax, Option option, String[] words, int from) {
    if (!syntax.options().contains(option)) {
      return false;
    }
    for (int i = from; i < words.length && !words[i].equals("--"); i++) {
      if (option.matches(words[i])) {
        return true;
      }
    }
    return false;
  }

  private Arguments parse() {
    Map<String, List<String>> values = new HashMap<>();
    List<String> others = new ArrayList<>();
    int literal = Integer.MAX_VALUE;
    for (; at < words.length; at++) {
      String word = words[at];
      if (literal < Integer.MAX_VALUE || word.length() < 2 || word.charAt(0) != '-') {
        others.add(word);
      } else if (word.equals("--")) {
        literal = others.size();
      } else {
        option(word, values);
      }
    }
    return new Arguments(values, others, literal);
  }

  private void option(String word, Map<String, List<String>> values) {
    int equals = word.startsWith("--") ? word.indexOf('=') : -1;
    String name = equals < 0 ? word : word.substring(0, equals);
    Option option = syntax.find(name);
    if (option == null) {
      throw new UsageException(unknown(name));
    }
    List<String> given = values.get(option.name());
    if (given == null) {
      given = new ArrayList<>(1);
      values.put(option.name(), given);
    } else if (option.value() != null && !option.repeatable()) {
      throw new UsageException(option.shown() + " may be given only once");
    }
    if (option.value() == null) {
      if (equals >= 0) {
        throw new UsageException(option.shown() + " takes no value");
      }
      given.add("");
    } else {
      given.add(equals >= 0 ? word.substring(equals + 1) : next(option));
    }
  }

  private String next(Option option) {
    String needs = option.shown() + " requires a value: " + option.shown() + " " + option.value();
    if (at + 1 >= words.length) {
      throw new UsageException(needs);
    }
    String value = words[at + 1];
    if (value.equals("--") || syntax.find(value) != null) {
      throw new UsageException(
          needs
              + "; if the value really is \""
              + value
              + "\", write "
              + option.shown()
              + "="
              + value);
    }
    at++;
    return value;
  }

  private String unknown(String word) {
    List<String> known = new ArrayList<>();
    for (Option option : syntax.options()) {
      known.add(option.shown());
    }
    @Nullable String close = Suggestion.closest(word, known);
    return "unknown option: "
        + word
        + (close == null
            ? "; a text that starts with \"-\" follows after \"--\""
            : "; did you mean " + close + "?");
  }
}
