package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.command.SuggestedCommand;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No message has a command of ours written out by hand: it would lack the workspace, the quotes or
 * the launcher's name. {@link SuggestedCommand} makes them all. Comments and text blocks, which
 * have the help, are not looked at.
 */
class HandWrittenCommandsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BY_HAND =
      Pattern.compile(
          "(?<![\\w./-])(?:\\./)?millrace (?:"
              + String.join("|", CommandRegistry.names())
              + ")\\b");

  /** Help of options, in which the launcher's name is replaced: the file, and a part of the line. */
  private static final Set<String> HELP =
      Set.of(
          "NetworkOptions.java: created by \\\"millrace keygen F\\\"",
          "HttpOptions.java: created by \\\"millrace apikey\\\"",
          "WorkCommand.java: submit paused; \\\"millrace resume\\\" starts it");

  @Test
  void suggestionsAreMadeByOneClass() throws IOException {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> modules =
        Files.newDirectoryStream(ROOT, it -> Files.isDirectory(it.resolve("src/main/java")))) {
      for (Path module : modules) {
        if (module.endsWith("bench")) {
          continue; // it prints no messages, but names of measurements
        }
        try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
          for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
            search(file, found);
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  private static void search(Path file, List<String> found) throws IOException {
    boolean block = false;
    for (String line : Files.readAllLines(file)) {
      boolean comment = line.strip().startsWith("*") || line.strip().startsWith("/");
      boolean fence = line.contains("\"\"\"");
      if (!block && !fence && !comment && BY_HAND.matcher(line).find()) {
        String name = file.getFileName().toString();
        if (HELP.stream().noneMatch(it -> isAllowed(it, name, line))) {
          found.add(name + ": " + line.strip());
        }
      }
      block ^= fence;
    }
  }

  private static boolean isAllowed(String entry, String file, String line) {
    int colon = entry.indexOf(": ");
    return entry.substring(0, colon).equals(file) && line.contains(entry.substring(colon + 2));
  }
}
