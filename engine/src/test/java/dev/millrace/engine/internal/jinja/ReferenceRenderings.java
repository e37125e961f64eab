package dev.millrace.engine.internal.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The templates of the test data, the contexts they are rendered with, and the results of Python's
 * jinja2: see the README beside them.
 */
public final class ReferenceRenderings {
  /** The time that the expectations were made for. */
  private static final LocalDateTime NOW = LocalDateTime.of(2026, 2, 5, 9, 3, 7);

  private static final String MARK = ">>>>>>>> ";

  private ReferenceRenderings() {}

  /**
   * The result of one template for one context: {@code ok} and the text, {@code raised} and the
   * template's message, or {@code error} and the error of jinja2.
   */
  record Case(String template, String context, String kind, String text) {}

  public static Path resources() {
    try {
      return Path.of(
          Objects.requireNonNull(ReferenceRenderings.class.getResource("/chat")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public static List<Path> templates(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jinja")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Case> cases(Path template) {
    String name = template.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    String all = "\n" + read(template.resolveSibling(name + ".expected"));
    List<Case> cases = new ArrayList<>();
    for (String part : all.substring(0, all.length() - 1).split("\n" + MARK, -1)) {
      if (part.isEmpty()) {
        continue; // before the first mark
      }
      int end = part.indexOf('\n');
      String[] head = part.substring(0, end).split(" ");
      cases.add(new Case(name, head[0], head[1], part.substring(end + 1)));
    }
    return cases;
  }

  /**
   * Fails unless rendering gives the result of the case. For an error of jinja2 itself, any error
   * is accepted.
   */
  static void check(String source, Map<String, ?> context, Case expected) {
    String outcome;
    try {
      outcome = "ok: " + JinjaTemplate.parse(source, JinjaLimits.DEFAULT).render(context, NOW);
    } catch (ChatTemplateException e) {
      outcome = e.raised() ? "raised: " + e.reason() : "error: " + e.getMessage();
    }
    String which = expected.context() + " of " + source;
    if (expected.kind().equals("error")) {
      assertThat(outcome)
          .as("%s, where jinja2 says: %s", which, expected.text())
          .startsWith("error: ");
    } else {
      assertThat(outcome).as(which).isEqualTo(expected.kind() + ": " + expected.text());
    }
  }

  /** The variables of each context, as {@code apply_chat_template} would pass them. */
  @SuppressWarnings("unchecked")
  public static Map<String, Map<String, Object>> contexts() {
    var data =
        (Map<String, Object>)
            Objects.requireNonNull(PlainJson.read(read(resources().resolve("contexts.json"))));
    Map<String, Map<String, Object>> contexts = new LinkedHashMap<>();
    data.forEach(
        (name, context) -> {
          if (!name.startsWith("$")) {
            Map<String, Object> variables = new LinkedHashMap<>((Map<String, Object>) context);
            variables.computeIfPresent("tools", (_, reference) -> data.get((String) reference));
            variables.putIfAbsent("tools", null);
            variables.put("documents", null);
            variables.put("bos_token", "<|bos|>");
            variables.put("eos_token", "<|eos|>");
            contexts.put(name, variables);
          }
        });
    return contexts;
  }
}
