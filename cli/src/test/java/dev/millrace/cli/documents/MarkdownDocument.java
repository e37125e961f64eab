package dev.millrace.cli.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a Markdown file that the checks look at. Not a full parser: fenced blocks, code
 * spans, inline links, link definitions, HTML attributes and {@code #} headings.
 *
 * @param file relative to the root of the repository
 * @param anchors what a link to this file may have after its {@code #}
 */
public record MarkdownDocument(Path file, List<Link> links, List<Code> code, Set<String> anchors) {
  private static final Pattern FENCE = Pattern.compile(" {0,12}(`{3,}|~{3,})\\s*([\\w-]*).*");
  private static final Pattern HEADING = Pattern.compile(" {0,3}#{1,6}\\s+(.*?)(?:\\s+#+)?\\s*");
  private static final Pattern STARTS_BLOCK = Pattern.compile("\\s*(?:[-*+] |\\d+[.)] |\\||#|>).*");
  private static final Pattern CODE_SPAN =
      Pattern.compile("(?<!`)(`+)(?!`)(.+?)(?<!`)\\1(?!`)", Pattern.DOTALL);
  private static final Pattern INLINE_LINK =
      Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
  private static final Pattern DEFINITION = Pattern.compile(" {0,3}\\[[^\\]]+\\]:\\s*(\\S+)");
  private static final Pattern HTML_LINK = Pattern.compile("\\b(?:href|src)=\"([^\"]+)\"");
  private static final Pattern HTML_ANCHOR = Pattern.compile("\\b(?:id|name)=\"([^\"]+)\"");

  /** The target of a link as it is written. */
  public record Link(int line, String target) {}

  /**
   * Text in code font.
   *
   * @param language of a fenced block; null for a span in the running text
   */
  public record Code(int line, String text, @Nullable String language) {
    /** Whether it is a span in the running text. */
    public boolean inline() {
      return language == null;
    }
  }

  public static MarkdownDocument read(Path root, Path file) throws IOException {
    return parse(file, Files.readString(root.resolve(file)));
  }

  public static MarkdownDocument parse(Path file, String text) {
    Parser parser = new Parser();
    parser.read(text.lines().toList());
    return new MarkdownDocument(file, parser.links, parser.code, parser.anchors);
  }

  /** The anchor that GitHub gives to a heading. */
  static String slug(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}\\p{M}_ -]", "")
        .replace(' ', '-');
  }

  private static final class Parser {
    private final List<Link> links = new ArrayList<>();
    private final List<Code> code = new ArrayList<>();
    private final Set<String> anchors = new HashSet<>();
    private final Map<String, Integer> slugs = new HashMap<>();
    private final StringBuilder block = new StringBuilder();
    private int blockLine = 1;

    void read(List<String> lines) {
      for (int i = 0; i < lines.size(); i++) {
        Matcher fence = FENCE.matcher(lines.get(i));
        if (fence.matches()) {
          endBlock();
          i = fenced(lines, i, fence.group(1), fence.group(2));
        } else {
          prose(lines.get(i), i + 1);
        }
      }
      endBlock();
    }

    /** Reads the block that opens in line {@code from}; returns the index of its last line. */
    private int fenced(List<String> lines, int from, String mark, String language) {
      List<String> content = new ArrayList<>();
      int i = from + 1;
      while (i < lines.size() && !lines.get(i).strip().startsWith(mark)) {
        content.add(lines.get(i));
        i++;
      }
      code.add(new Code(from + 2, String.join("\n", content), language));
      return i;
    }

    private void prose(String line, int number) {
      if (line.isBlank() || STARTS_BLOCK.matcher(line).matches()) {
        endBlock();
      }
      if (block.isEmpty()) {
        blockLine = number;
      }
      block.append(line).append('\n');
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        heading(heading.group(1));
        endBlock();
      }
    }

    private void heading(String text) {
      String slug = slug(text);
      int earlier = slugs.merge(slug, 1, Integer::sum) - 1;
      anchors.add(earlier == 0 ? slug : slug + "-" + earlier);
    }

    /** A code span or a link may go over several lines, but not over the end of its block. */
    private void endBlock() {
      StringBuilder text = new StringBuilder(block);
      block.setLength(0);
      Matcher span = CODE_SPAN.matcher(text.toString());
      while (span.find()) {
        String content = span.group(2).replace("\\|", "|").replace('\n', ' ');
        code.add(new Code(line(text, span.start()), content, null));
        text.replace(span.start(2), span.end(2), "x".repeat(span.end(2) - span.start(2)));
      }
      for (Pattern form : List.of(INLINE_LINK, DEFINITION, HTML_LINK)) {
        Matcher link = form.matcher(text);
        while (link.find()) {
          links.add(new Link(line(text, link.start(1)), link.group(1)));
        }
      }
      Matcher anchor = HTML_ANCHOR.matcher(text);
      while (anchor.find()) {
        anchors.add(anchor.group(1));
      }
    }

    private int line(CharSequence text, int end) {
      return blockLine + (int) text.subSequence(0, end).chars().filter(c -> c == '\n').count();
    }
  }
}
