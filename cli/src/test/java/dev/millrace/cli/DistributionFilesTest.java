package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.args.Option;
import dev.millrace.cli.manual.ManualEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Man pages and completions, read by the programs that they are for. */
class DistributionFilesTest {
  private static final String BASH =
      """
      . share/bash-completion/completions/wrk
      try() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _millrace
        echo "${COMPREPLY[*]}"
      }
      """;

  @TempDir static Path dir;

  @BeforeAll
  static void write() throws IOException {
    Path old = dir.resolve("share/man/man1/millrace-gone.1");
    Files.createDirectories(old.getParent());
    Files.writeString(old, "");
    assertThat(new InProcessCli(dir).run(DistributionFiles.ARGUMENT, ".").status()).isZero();
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return said.strip();
  }

  private static void assumeInstalled(String program) throws IOException, InterruptedException {
    assumeTrue(!run("sh", "-c", "command -v " + program + " || :").isEmpty(), program + " is here");
  }

  private static List<Path> files(String directory) throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve(directory))) {
      return files.sorted().toList();
    }
  }

  @Test
  void everyCommandHasAPageWithAllItsOptions() throws IOException {
    List<String> pages = new ArrayList<>(List.of("millrace.1", "wrk.1", "flw.1", "nrvnad.1"));
    for (ManualEntry entry : DistributionFiles.entries()) {
      String name = "millrace-" + entry.syntax().command() + ".1";
      pages.add(name);
      String page = Files.readString(dir.resolve("share/man/man1").resolve(name));
      for (Option option : entry.syntax().options()) {
        String shown = "\\fB" + option.shown().replace("-", "\\-") + "\\fR";
        assertThat(page.contains(shown)).as(name + shown).isEqualTo(!option.help().isEmpty());
      }
    }
    assertThat(files("share/man/man1"))
        .extracting(file -> file.getFileName().toString())
        .containsExactlyInAnyOrderElementsOf(pages);
  }

  @Test
  void groffReadsThePages() throws IOException, InterruptedException {
    assumeInstalled("groff");
    // links between pages are relative to the directory of the sections
    assertThat(run("sh", "-c", "cd share/man && groff -ww -man -z -Tutf8 man1/*.1")).isEmpty();
    String page = run("sh", "-c", "cd share/man && groff -man -Tascii -P-cbu man1/wrk.1");
    assertThat(page)
        .contains(
            "millrace work DIR|URL - [options]", "-m, --model NAME", "{ echo \"Summarize:\";");
  }

  @Test
  void bashCompletes() throws IOException, InterruptedException {
    assumeInstalled("bash");
    String script =
        BASH
            + """
            try millrace se
            try ./millrace jobs --state ''
            try millrace jobs --state = ru
            try wrk ws --temp ''
            try wrk ws --priority V
            try flw --wait-
            try millrace help ver
            try millrace states ''
            try nrvnad st
            try millrace flow ''
            try millrace work --job share/man/man1/wrk
            try millrace work ws -- --te
            complete -p wrk flw nrvnad millrace
            """;
    assertThat(run("bash", "-c", script).split("\n"))
        .containsExactly(
            "serve",
            "queued running waiting paused done failed cancelled",
            "running",
            "",
            "VERY_HIGH VERY_LOW",
            "--wait-idle",
            "verify version",
            "job stage task sequence",
            "status stop",
            "share",
            "share/man/man1/wrk.1",
            "",
            "complete -F _millrace wrk",
            "complete -F _millrace flw",
            "complete -F _millrace nrvnad",
            "complete -F _millrace millrace");
  }

  @Test
  void zshReadsItsCompletion() throws IOException, InterruptedException {
    assumeInstalled("zsh");
    assertThat(run("zsh", "-n", "share/zsh/site-functions/_millrace")).isEmpty();
  }

  @Test
  void fishCompletes() throws IOException, InterruptedException {
    assumeInstalled("fish");
    String script =
        """
        cd share/fish/vendor_completions.d
        for file in *.fish; source $file; end
        for line in 'millrace se' 'millrace jobs --state=r' 'wrk ws --te' 'nrvnad st' 'millrace help ver'
          complete -C $line
        end
        """;
    assertThat(run("fish", "-N", "-c", script).split("\n"))
        .containsExactly(
            "serve\tprocess the jobs of a workspace",
            "--state=running\tonly jobs in this state",
            "--temp\ttemperature",
            "status",
            "stop",
            "verify",
            "version");
  }

  @Test
  void helpNamesWhatShellsComplete() {
    for (ManualEntry entry : DistributionFiles.entries()) {
      for (Option option : entry.syntax().options()) {
        for (String choice : option.choices()) {
          assertThat(option.help()).as(option.shown()).containsPattern("\\b" + choice + "\\b");
        }
      }
    }
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsAnError() throws IOException {
    Files.writeString(dir.resolve("file"), "");
    InProcessCli.Result result = new InProcessCli(dir).run(DistributionFiles.ARGUMENT, "file");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: ").contains("file");
    assertThat(new InProcessCli(dir).run(DistributionFiles.ARGUMENT).status()).isEqualTo(2);
  }

  /** The launcher does it; a user who starts the jar by hand is told so. */
  @Test
  void installBelongsToTheLauncher() {
    InProcessCli.Result result = new InProcessCli(dir).run("install", "bin");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("install is a command of the launcher");
  }
}
