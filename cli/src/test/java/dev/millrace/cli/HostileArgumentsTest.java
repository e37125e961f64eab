package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile arguments give one line of error, no crash, no stack trace, and no access outside. */
class HostileArgumentsTest {
  /** Some commands create a workspace from a word: no word may name a directory outside. */
  private static final List<String> WORDS =
      List.of(
          "",
          " ",
          "-",
          "--",
          "=",
          "--=",
          "-d",
          "--workspace",
          "--job",
          "--tag=",
          "--param==",
          "..",
          "ws/../ws",
          "/dev/null",
          "/proc/self/mem",
          "a\0b",
          "\uD800",
          "\uFFFD",
          "\n",
          "\033[2J",
          "$(id)",
          "`id`",
          "%s%n",
          "{0}",
          "'; echo x;'",
          "99999999999999999999_1_1",
          "1__2",
          "_1",
          "1_",
          "9".repeat(128),
          "9".repeat(129),
          "x".repeat(100_000),
          "--older-than",
          "--stage=-1",
          "--limit=-1",
          "--stage=99999999999");

  @TempDir Path dir;
  private Path ws;
  private InProcessCli cli;

  @BeforeEach
  void open() {
    ws = dir.resolve("inner/ws");
    cli = new InProcessCli(dir.resolve("inner"));
    cli.submit("ws", "x");
  }

  static Stream<String> commands() {
    return Stream.concat(
        CommandRegistry.names().stream(), Stream.of("wrk", "flw", "--version", "-h"));
  }

  @Test
  void noWordLeadsOutOfTheTest() {
    Path inner = dir.resolve("inner");
    for (String word : WORDS) {
      Path path;
      try {
        path = inner.resolve(word).normalize();
      } catch (java.nio.file.InvalidPathException e) {
        continue;
      }
      assertThat(path.startsWith(dir) || !Files.isDirectory(path)).as(word).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void noCommandCrashes(String command) {
    for (String word : WORDS) {
      check(command, word);
      check(command, "ws", word);
      check(command, word, "ws");
      check(command, "-d", "ws", word);
      check(command, "ws", "1736700000_1_0", word, word);
      check(command, "-d", word);
    }
  }

  private void check(String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(() -> String.join("|", args) + " -> " + result).isIn(0, 1, 2);
    assertThat(result.err()).doesNotContain("\tat ", "internal:");
    if (result.status() != 0 && !result.out().contains("fail  ")) {
      assertThat(result.err()).as(() -> String.join("|", args)).isNotEmpty();
    }
  }

  /** Job ids come from users too. */
  @Test
  void idsAreNotPaths() throws Exception {
    Path outside = Files.createDirectories(dir.resolve("inner/1736700000_1_0"));
    for (String command : List.of("job", "pause", "resume", "abort", "retry")) {
      assertThat(cli.run(command, "ws", "../../1736700000_1_0").status()).isEqualTo(2);
      assertThat(cli.run(command, "ws", "1736700000_1_0/..").status()).isEqualTo(2);
    }
    assertThat(outside).isEmptyDirectory();
    assertThat(ws.resolve("input/ready")).isNotEmptyDirectory();
  }
}
