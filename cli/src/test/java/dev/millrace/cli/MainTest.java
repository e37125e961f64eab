package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.json.Json;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  /** Commands that have no --json, with another of their options. */
  private static final Map<String, String> WITHOUT_JSON =
      Map.of("node", "--name", "install", "--share");

  @TempDir Path dir;

  private InProcessCli.Result run(String... args) {
    return new InProcessCli(dir).run(args);
  }

  static java.util.List<String> commands() {
    return CommandRegistry.names();
  }

  @Test
  void noArgumentsPrintHelp() {
    InProcessCli.Result result = run();
    assertThat(result.status()).isZero();
    assertThat(result.out()).contains("Usage: millrace", "work", "flow", "serve");
    assertThat(run("--help")).isEqualTo(result);
    assertThat(run("help")).isEqualTo(result);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandExplainsItself(String command) {
    InProcessCli.Result result = run(command, "--help");
    assertThat(result.status()).isZero();
    assertThat(result.out())
        .startsWith("Usage: millrace " + command)
        .contains(WITHOUT_JSON.getOrDefault(command, "--json"), "-h, --help");
    assertThat(run("help", command)).isEqualTo(result);
    assertThat(run(command, "--nonsense", "-h")).isEqualTo(result);
  }

  /** A line wider than the terminal would be wrapped at any character. */
  @ParameterizedTest
  @MethodSource("commands")
  void theHelpFitsATerminal(String command) {
    assertThat(run(command, "--help").lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(101));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandRejectsUnknownOptionsByName(String command) {
    InProcessCli.Result result = run(command, "--jsno");
    boolean contract = java.util.Set.of("work", "flow", "serve").contains(command);
    assertThat(result.status()).isEqualTo(contract ? ExitCode.FAILED : ExitCode.USAGE);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .startsWith("Error: unknown option: --jsno; did you mean --json?")
        .endsWith("See: millrace " + command + " --help\n");
  }

  @Test
  void aliasesAreCommands() {
    assertThat(run("wrk", "--help")).isEqualTo(run("work", "--help"));
    assertThat(run("flw", "--help")).isEqualTo(run("flow", "--help"));
  }

  @Test
  void unknownCommandsAreRejectedWithASuggestion() {
    InProcessCli.Result result = run("wokr", "x");
    assertThat(result.status()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("unknown command: wokr; did you mean work?");
    assertThat(run("").status()).isEqualTo(ExitCode.USAGE);
    assertThat(run("help", "xyzzy").status()).isEqualTo(ExitCode.USAGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"version", "--version", "-v"})
  void theVersionIsPrinted(String word) {
    assertThat(run(word).out()).startsWith("millrace ");
    assertThat(run("work", "--version").out()).isEqualTo(run(word).out());
    assertThat(Json.object(run(word, "--json").out()).has("version")).isTrue();
  }

  @Test
  void aBugIsReportedInOneLineWithoutAStackTrace() {
    Shell broken =
        new Shell(
            new java.io.ByteArrayInputStream(new byte[0]) {
              @Override
              public byte[] readNBytes(int length) {
                throw new IllegalStateException("a defect");
              }
            },
            new java.io.PrintStream(java.io.OutputStream.nullOutputStream()),
            new java.io.PrintStream(java.io.OutputStream.nullOutputStream()),
            java.util.Map.of(),
            dir,
            descriptor -> false);
    var err = new java.io.ByteArrayOutputStream();
    Shell heard =
        new Shell(
            broken.in(),
            broken.out(),
            new java.io.PrintStream(err),
            java.util.Map.of(),
            dir,
            broken.terminal());
    assertThat(Main.run(heard, "work", "ws", "-")).isEqualTo(ExitCode.INTERNAL);
    assertThat(err.toString())
        .isEqualTo(
            "Error: internal: java.lang.IllegalStateException: a defect"
                + " (set MILLRACE_LOG_LEVEL=debug for details)\n");
  }
}
