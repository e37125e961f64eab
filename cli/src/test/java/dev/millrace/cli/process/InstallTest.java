package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace install} in a clone that was never built, which has no Java yet. */
class InstallTest {
  private static final List<String> COMMANDS = List.of("flw", "millrace", "nrvnad", "wrk");

  @TempDir Path dir;

  /** Java could only be found by starting it. */
  private InProcessCli.Result install(String arguments) {
    String line = "MILLRACE_JAVA=/nowhere \"$millrace\" install " + arguments;
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  private List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void commandsAreLinkedAndRemoved() throws IOException {
    InProcessCli.Result first = install("'my commands'");
    assertThat(first.status()).as(first.err()).isZero();
    Path target = dir.resolve("my commands");
    assertThat(names(target)).isEqualTo(COMMANDS);
    for (String name : COMMANDS) {
      assertThat(Files.readSymbolicLink(target.resolve(name))).isEqualTo(LauncherProcess.script());
    }
    assertThat(first.err()).contains(target + " is not on your PATH");
    assertThat(first.out()).contains(" install --remove '" + target + "'");

    InProcessCli.Result again = install("'my commands'");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(names(target)).isEqualTo(COMMANDS);

    Files.writeString(target.resolve("other"), "");
    assertThat(install("--remove 'my commands'").status()).isZero();
    assertThat(names(target)).containsExactly("other");
    assertThat(install("--remove 'my commands'").status()).isZero();
  }

  @Test
  void aDirectoryOnThePathIsNotMentioned() throws IOException {
    Path target = Files.createDirectory(dir.resolve("here"));
    String line = "PATH=$PATH:'" + target + "' \"$millrace\" install here";
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      assertThat(launched.result().err()).isEmpty();
    }
  }

  @Test
  void whatIsNotOursStaysUnlessForced() throws IOException {
    Path target = Files.createDirectory(dir.resolve("here"));
    Path foreign = Files.writeString(target.resolve("wrk"), "another program");
    InProcessCli.Result refused = install("here");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains(foreign + " is not Millrace's", "--force");
    assertThat(names(target)).containsExactly("wrk");
    assertThat(foreign).hasContent("another program");

    assertThat(install("--remove here").status()).isZero();
    assertThat(foreign).hasContent("another program");

    assertThat(install("here --force").status()).isZero();
    assertThat(names(target)).isEqualTo(COMMANDS);
    assertThat(foreign).isSymbolicLink();
  }

  /** A link of an older version, even one that leads nowhere now, is replaced. */
  @Test
  void linksOfAnotherVersionAreReplaced() throws IOException {
    Path target = Files.createDirectory(dir.resolve("here"));
    Path link = target.resolve("millrace");
    Files.createSymbolicLink(link, dir.resolve("millrace-0.0.9/bin/millrace"));
    assertThat(install("here").status()).isZero();
    assertThat(Files.readSymbolicLink(link)).isEqualTo(LauncherProcess.script());
  }

  @Test
  void directoriesAreNeverReplaced() throws IOException {
    Files.createDirectories(dir.resolve("here/flw"));
    InProcessCli.Result refused = install("--force here");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("flw is a directory");
    assertThat(names(dir.resolve("here"))).containsExactly("flw");
  }

  /** Man pages and completions need the build; the commands are there without it. */
  @Test
  void withoutABuildTheCommandsAreInstalledAndTheRestIsMissed() throws IOException {
    InProcessCli.Result result = install("prefix/bin");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("no Java", "man pages and completions are missing");
    assertThat(names(dir.resolve("prefix/bin"))).isEqualTo(COMMANDS);
    assertThat(install("prefix/bin --share=").status()).isZero();
  }

  @Test
  void wrongUseIsRefused() {
    for (String wrong : List.of("", "a b", "--json a", "- ", "a --share", "--colour=red a")) {
      InProcessCli.Result result = install(wrong);
      assertThat(result.status()).as(wrong).isEqualTo(2);
      assertThat(result.err()).contains("See: millrace install --help");
    }
    assertThat(install("\"${millrace%/*}\"").err()).contains("is where Millrace itself is");
    assertThat(install("--remove nowhere").err())
        .contains("no directory " + dir.resolve("nowhere"));
    assertThat(dir.resolve("a")).doesNotExist();
  }
}
