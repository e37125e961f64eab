package dev.millrace.cli.manual;

import dev.millrace.cli.args.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a shell offers in one place of a command line: words, names of files or directories, or
 * nothing.
 */
record Completion(List<String> words, Paths paths) {
  enum Paths {
    NONE,
    FILES,
    DIRECTORIES
  }

  /** Placeholders of options and arguments that stand for a file; a model may be one. */
  private static final Pattern FILE = Pattern.compile("F|FILE|PATH|MODEL|(F|FILE)\\.[a-z]+");

  private static final Pattern DIRECTORY = Pattern.compile("DIR|WORKSPACE");
  private static final Pattern WORD = Pattern.compile("[a-z]+");

  /** A placeholder or word of a form, without the brackets and dots around it. */
  private static final Pattern PART = Pattern.compile("[\\w.:=-]*\\w");

  /** What may be the value of an option. */
  static Completion ofValue(Option option) {
    String value = option.value();
    return new Completion(
        option.choices(), value == null ? Paths.NONE : paths(Stream.of(value.split("\\|"))));
  }

  /** What may follow a command that is no option, as its forms say; {@code commands} are all. */
  static Completion ofArguments(ManualEntry entry, List<String> commands) {
    List<String> parts = new ArrayList<>();
    for (String form : entry.syntax().arguments()) {
      parts.addAll(parts(form));
    }
    List<String> words =
        parts.contains("COMMAND")
            ? commands
            : parts.stream()
                .filter(part -> WORD.matcher(part).matches() && !part.equals("options"))
                .distinct()
                .toList();
    return new Completion(words, paths(parts.stream()));
  }

  /** The parts of a form that are neither options nor values of options. */
  private static List<String> parts(String form) {
    List<String> parts = new ArrayList<>();
    boolean value = false;
    for (String word : form.split("<")[0].split(" ")) {
      boolean option = word.replace("[", "").startsWith("--");
      if (!option && !value) {
        Matcher part = PART.matcher(word);
        while (part.find()) {
          parts.add(part.group());
        }
      }
      value = option && !word.endsWith("]");
    }
    return parts;
  }

  private static Paths paths(Stream<String> placeholders) {
    List<String> all = placeholders.toList();
    if (all.stream().anyMatch(it -> FILE.matcher(it).matches())) {
      return Paths.FILES;
    }
    return all.stream().anyMatch(it -> DIRECTORY.matcher(it).matches())
        ? Paths.DIRECTORIES
        : Paths.NONE;
  }

  /** An option's help in a few words: up to its first explanation. */
  static String brief(Option option) {
    String help = option.help().replace('\n', ' ');
    // choices may be the whole help, and one of them have a remark
    Pattern ends = Pattern.compile(option.choices().isEmpty() ? "; |: | \\(" : "; |: ");
    Matcher end = ends.matcher(help);
    return end.find() ? help.substring(0, end.start()) : help;
  }
}
