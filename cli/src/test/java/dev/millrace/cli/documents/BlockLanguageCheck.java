package dev.millrace.cli.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks that every fenced block says what it is, so that no example is left out of the tests
 * unnoticed: {@code sh} is run as it stands; {@code output} is what the {@code sh} block before it
 * prints; {@code console}, with a prompt before each command, cannot run in a test, as it needs
 * another machine or a program that may be missing. No other block has commands of Millrace.
 */
public final class BlockLanguageCheck {
  private static final String CONSOLE = "console";

  private static final Set<String> DATA =
      Set.of(
          "text", "json", "toml", "yaml", "ini", "xml", "java", "sql", "mermaid", "crontab", "conf",
          "js", "python");

  private static final Pattern PROMPT = Pattern.compile("[$#] .*");
  private static final Pattern COMMAND = Pattern.compile("\\s*([$#] )?(\\./)?millrace\\s.*");

  private BlockLanguageCheck() {}

  public static List<DocumentFinding> check(MarkdownDocument document) {
    List<DocumentFinding> findings = new ArrayList<>();
    String before = null;
    for (MarkdownDocument.Code code : document.code()) {
      if (!code.inline()) {
        String problem = problem(code, before);
        if (problem != null) {
          findings.add(new DocumentFinding(document.file(), code.line() - 1, problem));
        }
        before = code.language();
      }
    }
    return findings;
  }

  private static @Nullable String problem(MarkdownDocument.Code code, @Nullable String before) {
    String language = String.valueOf(code.language());
    return switch (language) {
      case DocumentExample.LANGUAGE -> null;
      case DocumentExample.OUTPUT ->
          DocumentExample.LANGUAGE.equals(before) ? null : "output without an sh block before it";
      case CONSOLE ->
          PROMPT.matcher(code.text().lines().findFirst().orElse("")).matches()
              ? null
              : "a console block begins with a prompt, \"$ \" or \"# \"";
      default -> data(language, code);
    };
  }

  private static @Nullable String data(String language, MarkdownDocument.Code code) {
    if (!DATA.contains(language)) {
      return "a block of the language \""
          + language
          + "\": say sh (run by a test), output, "
          + CONSOLE
          + " or one of "
          + DATA.stream().sorted().toList();
    }
    return code.text().lines().anyMatch(line -> COMMAND.matcher(line).matches())
        ? "a command in a block that no test runs: say sh, or console if it cannot run in a test"
        : null;
  }
}
