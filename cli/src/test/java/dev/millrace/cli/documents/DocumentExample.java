package dev.millrace.cli.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An {@code sh} block of a document, and the {@code output} block that follows it, if one does.
 *
 * @param line of its first command
 * @param output lines that running it must print, in this order; other lines may be between them,
 *     and {@code …} stands for any text
 */
public record DocumentExample(int line, String commands, List<String> output) {
  public static final String LANGUAGE = "sh";
  public static final String OUTPUT = "output";

  /** All examples of a document in their order. */
  public static List<DocumentExample> of(MarkdownDocument document) {
    List<DocumentExample> examples = new ArrayList<>();
    MarkdownDocument.Code last = null;
    for (MarkdownDocument.Code code : document.code()) {
      if (code.inline()) {
        continue;
      }
      if (last != null) {
        examples.add(example(last, OUTPUT.equals(code.language()) ? code : null));
      }
      last = LANGUAGE.equals(code.language()) ? code : null;
    }
    if (last != null) {
      examples.add(example(last, null));
    }
    return examples;
  }

  private static DocumentExample example(
      MarkdownDocument.Code commands, MarkdownDocument.@Nullable Code output) {
    return new DocumentExample(
        commands.line(),
        commands.text(),
        output == null ? List.of() : output.text().lines().toList());
  }

  /** The first line of the shown output that is not in {@code printed}. */
  public Optional<String> missingFrom(String printed) {
    List<String> lines = printed.lines().map(String::strip).toList();
    int next = 0;
    for (String expected : output) {
      Pattern pattern = pattern(expected.strip());
      while (next < lines.size() && !pattern.matcher(lines.get(next)).matches()) {
        next++;
      }
      if (next++ == lines.size()) {
        return Optional.of(expected);
      }
    }
    return Optional.empty();
  }

  private static Pattern pattern(String expected) {
    return Pattern.compile(
        Stream.of(expected.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }
}
