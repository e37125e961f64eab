package dev.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.args.ConfiguredOptions;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileTest {
  private static final List<Option> KNOWN =
      List.of(
          Option.value("listen", "HOST:PORT", ""),
          Option.value("join", "HOST:PORT", "").many(),
          Option.wholeNumber("threads", "N", ""),
          Option.number("audit", "RATE", ""),
          Option.flag("no-http", ""));

  @TempDir Path dir;
  private Path file;

  @BeforeEach
  void name() {
    file = dir.resolve("n.toml");
  }

  private ConfiguredOptions read(String text) throws IOException {
    Files.writeString(file, text);
    return ConfigurationFile.parse(file).options(KNOWN);
  }

  private void refused(String text, String message) throws IOException {
    Files.writeString(file, text);
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .isInstanceOf(UsageException.class)
        .hasMessage(file + ", line " + message);
  }

  @Test
  void aKeyIsAnOptionsName() throws IOException {
    ConfiguredOptions preset =
        read(
            """
            # a node
            listen = "127.0.0.1:5100"
            join = ["a:1", "b:2"]
            threads = 4
            audit = 0.25
            no-http = true
            """);
    assertThat(preset.values().get("listen")).containsExactly("127.0.0.1:5100");
    assertThat(preset.values().get("join")).containsExactly("a:1", "b:2");
    assertThat(preset.values().get("threads")).containsExactly("4");
    assertThat(preset.values().get("audit")).containsExactly("0.25");
    assertThat(preset.values().get("no-http")).containsExactly("");
    assertThat(preset.sources()).containsEntry("threads", file + ", line 4: threads");
  }

  @Test
  void aListOfOneMayBeASingleValue() throws IOException {
    assertThat(read("join = \"a:1\"\naudit = 1").values())
        .containsEntry("join", List.of("a:1"))
        .containsEntry("audit", List.of("1"));
  }

  @Test
  void falseFlagsAndEmptyListsCountAsNotGiven() throws IOException {
    assertThat(read("no-http = false\njoin = []").values()).isEmpty();
  }

  @Test
  void anUnknownKeyIsRejectedWithItsLine() throws IOException {
    refused(
        "\nlisten = \"a:1\"\nthread = 4", "3: there is no key \"thread\"; did you mean threads?");
    refused(
        "zzz = 1", "1: there is no key \"zzz\"; known are listen, join, threads, audit, no-http");
    refused(
        "[network]\nlisten = 1",
        "1: there is no key \"network\"; known are listen, join," + " threads, audit, no-http");
  }

  @Test
  void oneErrorNamesAllProblemsInOrder() throws IOException {
    Files.writeString(file, "threads = \"4\"\nlisten = \"a:1\"\nzzzzzz = 1\naudit = true\n");
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .hasMessage(
            file
                + """
                 has 3 problems:
                  line 1: threads must be a whole number
                  line 3: there is no key "zzzzzz"; known are listen, join, threads, audit, no-http
                  line 4: audit must be a number\
                """);
  }

  @Test
  void wrongTypesAreRejectedWithTheRule() throws IOException {
    refused("listen = 5000", "1: listen must be a text in quotes, HOST:PORT");
    refused("threads = \"4\"", "1: threads must be a whole number");
    refused("threads = 4.5", "1: threads must be a whole number");
    refused("audit = \"all\"", "1: audit must be a number");
    refused("no-http = 1", "1: no-http must be true or false");
    refused("listen = [\"a:1\"]", "1: listen must be one value, not a list");
    refused("join = [1]", "1: join must be a text in quotes, HOST:PORT, or a list of such");
    refused("join = {a = 1}", "1: join must be a text in quotes, HOST:PORT, or a list of such");
  }

  @Test
  void invalidTomlIsRejectedWithItsPosition() throws IOException {
    Files.writeString(file, "listen = \"a:1\"\nthreads == 4\n");
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith(file + ", line 2, column ")
        .hasMessageContaining("this is not TOML: ");
    refusedTwice();
    Files.writeString(file, "a = " + "[".repeat(5_000) + "]".repeat(5_000));
    assertThatThrownBy(() -> ConfigurationFile.parse(file))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith(file + ": lists or tables are nested too deep");
  }

  private void refusedTwice() throws IOException {
    Files.writeString(file, "threads = 1\nthreads = 2\n");
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .hasMessageStartingWith(file + ", line 2, ");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .isInstanceOf(CommandException.class)
        .hasMessage("cannot read the configuration: " + file + " does not exist");
    assertThatThrownBy(() -> ConfigurationFile.parse(dir))
        .isInstanceOf(CommandException.class)
        .hasMessage("cannot read the configuration: " + dir + " is a directory");
  }

  @Test
  void aFileThatIsNotUtf8IsNamedWithTheRule() throws IOException {
    Files.write(file, new byte[] {'a', '=', '"', (byte) 0xe9, '"'});
    assertThatThrownBy(() -> ConfigurationFile.parse(file).options(KNOWN))
        .isInstanceOf(UsageException.class)
        .hasMessage(file + ": this is not UTF-8, which TOML must be; save it as UTF-8");
  }
}
