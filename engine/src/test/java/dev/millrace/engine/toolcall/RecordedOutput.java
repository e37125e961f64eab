package dev.millrace.engine.toolcall;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * An output of a model and what it is parsed into, from {@code toolcall/outputs.txt}.
 *
 * @param expected lines, as {@link JoinedParts} writes them
 */
record RecordedOutput(
    ToolCallFormat format, String title, Set<String> flags, String text, List<String> expected) {
  private static final String MARK = "#### ";

  static List<RecordedOutput> all() {
    List<RecordedOutput> all = new ArrayList<>();
    for (String part : resource().split("(?m)^" + MARK)) {
      if (!part.startsWith("#")) {
        all.add(read(part));
      }
    }
    return all;
  }

  private static RecordedOutput read(String part) {
    String[] head = part.substring(0, part.indexOf('\n')).split(": ", 2);
    String[] body = part.substring(part.indexOf('\n') + 1).split("\n----\n", 2);
    int flags = head[1].indexOf(" [");
    return new RecordedOutput(
        ToolCallFormat.named(head[0]).orElseThrow(),
        flags < 0 ? head[1] : head[1].substring(0, flags),
        flags < 0
            ? Set.of()
            : Set.of(head[1].substring(flags + 2, head[1].length() - 1).split(" ")),
        body[0],
        body[1].strip().lines().toList());
  }

  private static String resource() {
    try (InputStream in = RecordedOutput.class.getResourceAsStream("/toolcall/outputs.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return format.id() + ": " + title;
  }
}
