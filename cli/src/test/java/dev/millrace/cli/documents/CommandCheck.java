package dev.millrace.cli.documents;

import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.Command;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that every command in a document exists and has the options that are written with it:
 * {@code millrace serve --drain} in shell blocks and in running text, {@code serve --drain} in
 * running text. An option without a command must belong to some command.
 */
public final class CommandCheck {
  private static final Set<String> SHELLS = Set.of("", "sh", "bash", "shell", "console");

  /** Words that may come before a command of the shell. */
  private static final Set<String> PREFIXES =
      Set.of("$", "!", "{", "do", "then", "else", "if", "while", "until", "exec", "time", "nohup");

  private static final Pattern ASSIGNMENT = Pattern.compile("\\w+=.*", Pattern.DOTALL);
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z<\\[….].*");
  private static final Pattern NUMBER = Pattern.compile("-[\\d.]+");

  private final Function<String, @Nullable Command> registry;
  private final Set<String> known = new HashSet<>();

  /**
   * @param registry the command of a name; null if there is none
   * @param names of all commands
   * @param foreign options of other programs, with their dashes
   */
  public CommandCheck(
      Function<String, @Nullable Command> registry, List<String> names, Set<String> foreign) {
    this.registry = registry;
    known.addAll(foreign);
    for (String name : names) {
      Command command = registry.apply(name);
      if (command == null) {
        throw new IllegalArgumentException("the registry does not know its command " + name);
      }
      command.syntax().options().forEach(option -> known.add(option.shown()));
    }
  }

  public List<DocumentFinding> check(MarkdownDocument document) {
    List<DocumentFinding> findings = new ArrayList<>();
    for (MarkdownDocument.Code code : document.code()) {
      String language = code.language();
      if (language != null && !SHELLS.contains(language)) {
        continue;
      }
      for (ShellText.SimpleCommand shell :
          ShellText.split(code.text(), code.line(), code.inline())) {
        for (String problem : problems(shell.words(), code.inline())) {
          findings.add(new DocumentFinding(document.file(), shell.line(), problem));
        }
      }
    }
    return findings;
  }

  private List<String> problems(List<String> words, boolean inline) {
    int first = 0;
    while (first < words.size()
        && (PREFIXES.contains(words.get(first))
            || ASSIGNMENT.matcher(words.get(first)).matches())) {
      first++;
    }
    if (first == words.size()) {
      return List.of();
    }
    String head = words.get(first);
    List<String> rest = words.subList(first + 1, words.size());
    if (head.equals("millrace") || head.endsWith("/millrace")) {
      return rest.isEmpty() ? List.of() : named(rest.getFirst(), rest.subList(1, rest.size()));
    }
    if (inline && head.startsWith("--")) {
      return alone(words);
    }
    Command command = inline && !head.startsWith("-") ? registry.apply(head) : null;
    return command == null ? List.of() : unknownOptions(head, command, rest);
  }

  private List<String> named(String name, List<String> rest) {
    if (PLACEHOLDER.matcher(name).matches()) {
      return List.of();
    }
    Command command = registry.apply(name);
    return command == null
        ? List.of("unknown command: millrace " + name)
        : unknownOptions(name, command, rest);
  }

  private List<String> alone(List<String> words) {
    List<String> problems = new ArrayList<>();
    for (String word : words) {
      for (String option : options(word)) {
        if (option.length() > 2 && option.startsWith("--") && !known.contains(option)) {
          problems.add("no command has the option " + option);
        }
      }
    }
    return problems;
  }

  private static List<String> unknownOptions(String name, Command command, List<String> words) {
    List<String> problems = new ArrayList<>();
    boolean value = false;
    for (String word : words) {
      if (value) {
        value = false;
        continue;
      }
      if (word.equals("--")) {
        break;
      }
      for (String written : options(word)) {
        Option option = find(command, written);
        if (option == null) {
          problems.add("millrace " + name + " has no option " + written);
        } else {
          value = option.value() != null && word.indexOf('=') < 0;
        }
      }
    }
    return problems;
  }

  /** The options that a word names, without values, brackets and dots; most words name none. */
  private static List<String> options(String word) {
    List<String> options = new ArrayList<>();
    for (String part : word.split("\\|")) {
      String bare = part.replaceAll("^\\[+|[\\],.…]+$", "").replaceAll("=.*", "");
      if (bare.startsWith("-") && bare.length() > 1 && !NUMBER.matcher(bare).matches()) {
        options.add(bare);
      }
    }
    return options;
  }

  private static @Nullable Option find(Command command, String written) {
    for (Option option : command.syntax().options()) {
      if (written.equals(option.shown())
          || option.letter() != 0 && written.equals("-" + option.letter())) {
        return option;
      }
    }
    return null;
  }
}
