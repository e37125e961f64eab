package dev.millrace.cli.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class KeygenCommandTest extends CommandFixture {
  private static final String FORM = "millrace-network-key-1:[0-9a-f]{64}";

  @Test
  void everyKeyIsDifferent() {
    InProcessCli.Result result = cli.run("keygen");
    assertThat(result.status()).isZero();
    assertThat(result.line()).matches(FORM);
    assertThat(cli.run("keygen").line()).isNotEqualTo(result.line());
    assertThat(Json.object(cli.run("keygen", "--json").out()).string("key")).matches(FORM);
    assertThat(cli.run("keygen", "-").line()).matches(FORM);
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void onlyTheOwnerMayReadTheFile() throws IOException {
    InProcessCli.Result result = cli.run("keygen", "net.key");
    Path file = dir.resolve("net.key");
    assertThat(result).isEqualTo(new InProcessCli.Result(0, "", "wrote " + file + "\n"));
    assertThat(Files.readString(file)).matches(FORM + "\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(cli.run("keygen", "other.key", "--json").out())
        .isEqualTo("{\"file\":\"" + dir.resolve("other.key") + "\"}\n");
  }

  @Test
  void anExistingFileIsNotOverwritten() throws IOException {
    cli.run("keygen", "net.key");
    String before = Files.readString(dir.resolve("net.key"));
    InProcessCli.Result again = cli.run("keygen", "net.key");
    assertThat(again.status()).isEqualTo(1);
    assertThat(again.err()).startsWith("Error: ").contains("is there already");
    assertThat(Files.readString(dir.resolve("net.key"))).isEqualTo(before);
  }

  @Test
  void wrongArgumentsAreRejected() {
    assertThat(cli.run("keygen", "a", "b").status()).isEqualTo(2);
    assertThat(cli.run("keygen", "no/such/place").err()).contains("no directory");
    assertThat(cli.run("keygen", "").err()).contains("a path must not be empty");
  }
}
