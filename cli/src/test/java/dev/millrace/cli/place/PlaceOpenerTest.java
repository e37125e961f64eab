package dev.millrace.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which kind of place a name means. */
class PlaceOpenerTest {
  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"ftp://host/ws", "FTP://host"})
  void unknownSchemesAreRefusedByName(String place) {
    InProcessCli cli = new InProcessCli(dir);
    for (String[] command :
        new String[][] {
          {"work", place, "x"},
          {"flow", place},
          {"pause", place, "1_2_3"},
          {"prune", place, "--older-than", "1d"},
          {"jobs", "-d", place}
        }) {
      InProcessCli.Result result = cli.run(command);
      assertThat(result.status()).as(command[0]).isNotZero();
      assertThat(result.err())
          .as(command[0])
          .contains(
              "Error: \"" + place + "\" names no place for jobs: \"ftp://\" is not supported; give",
              "a workspace's directory, a database's postgresql:// URL, or a server's http:// or"
                  + " https:// URL");
    }
    assertThat(new InProcessCli(dir).env("MILLRACE_WORKSPACE", place).run("jobs").err())
        .contains("is not supported");
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void aServersUrlIsNotSuggestedWhereOnlyAStoreIsPossible() throws IOException {
    Files.writeString(dir.resolve("in.jsonl"), "");
    for (String[] command :
        new String[][] {
          {"serve", "-d", "ftp://x", "--exec", "a=b"},
          {"serve", "-d", "ftp://x", "--status"},
          {"serve", "-d", "ftp://x", "--stop"},
          {"batch", "in.jsonl", "--workspace", "ftp://x"},
          {"doctor", "ftp://x"}
        }) {
      InProcessCli.Result result = new InProcessCli(dir).run(command);
      assertThat(result.status()).as(String.join(" ", command)).isNotZero();
      assertThat(result.err().lines().findFirst())
          .as(String.join(" ", command))
          .contains(
              "Error: \"ftp://x\" names no place for jobs: \"ftp://\" is not supported; give a"
                  + " workspace's directory or a database's postgresql:// URL");
    }
  }

  /** A path may have a colon and two slashes, too. */
  @Test
  void pathsAreDirectories() {
    assertThat(PlaceOpener.isUrl("./a://b")).isFalse();
    assertThat(PlaceOpener.isUrl("/srv/a://b")).isFalse();
    assertThat(PlaceOpener.isUrl("://b")).isFalse();
    assertThat(PlaceOpener.isUrl("ws")).isFalse();
    assertThat(PlaceOpener.isUrl("https://host")).isTrue();
  }
}
