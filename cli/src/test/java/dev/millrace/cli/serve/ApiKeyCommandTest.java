package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.ApiKeyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApiKeyCommandTest extends CommandFixture {
  private Path file;

  @BeforeEach
  void open() {
    file = dir.resolve("keys");
  }

  private void refused(int status, String message, String... words) {
    String[] args = new String[words.length + 1];
    args[0] = "apikey";
    System.arraycopy(words, 0, args, 1, words.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isEqualTo(status);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("Error: ").contains(message);
  }

  @Test
  void aKeyIsPrintedOnceAndItsHashIsKept() throws IOException {
    InProcessCli.Result made = cli.run("apikey", "nightly", "--file", "keys");
    assertThat(made.status()).isZero();
    assertThat(made.line()).matches("mr_[A-Za-z0-9_-]{43}");
    String kept = Files.readString(file);
    assertThat(kept)
        .isEqualTo("nightly read,submit " + ApiKeyFile.hash(made.line()) + "\n")
        .doesNotContain(made.line());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void scopesAreStored() {
    cli.run("apikey", "a", "--file", "keys", "--scope", "work");
    JsonObject made =
        Json.object(cli.run("apikey", "b", "--file", "keys", "--scope", "admin", "--json").out());
    assertThat(made.string("name")).isEqualTo("b");
    assertThat(made.string("key")).startsWith("mr_");
    assertThat(cli.run("apikey", "--file", "keys", "--list").out()).isEqualTo("a work\nb admin\n");
    assertThat(cli.run("apikey", "--file", "keys", "--list", "--json").lines().getLast())
        .isEqualTo("{\"name\":\"b\",\"scopes\":[\"admin\"]}");
  }

  @Test
  void commentsInTheFileAreKept() throws IOException {
    Files.writeString(file, "# our keys\n\n");
    cli.run("apikey", "a", "--file", "keys");
    cli.run("apikey", "b", "--file", "keys");
    InProcessCli.Result removed = cli.run("apikey", "a", "--file", "keys", "--remove");
    assertThat(removed).isEqualTo(new InProcessCli.Result(0, "", "removed a\n"));
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(3).first().isEqualTo("# our keys");
    assertThat(lines.getLast()).startsWith("b read,submit ");
  }

  @Test
  void namesAreUnique() throws IOException {
    cli.run("apikey", "a", "--file", "keys");
    String before = Files.readString(file);
    refused(1, "there is a key called \"a\" already", "a", "--file", "keys");
    refused(1, "no key is called \"b\"", "b", "--file", "keys", "--remove");
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void wrongArgumentsAreRejected() throws IOException {
    refused(2, "--file F is required", "a");
    refused(2, "no NAME", "--file", "keys");
    refused(2, "unexpected argument: b", "a", "b", "--file", "keys");
    refused(2, "--remove and --list", "--file", "keys", "--remove", "--list");
    refused(2, "--remove and --scope", "a", "--file", "keys", "--remove", "--scope", "read");
    refused(1, "scope \"write\" must be one of", "a", "--file", "keys", "--scope", "read,write");
    refused(1, "a key's name has 1 to 64", "a b", "--file", "keys");
    refused(1, "keys does not exist", "--file", "keys", "--list");
    refused(1, "no directory", "a", "--file", "no/such/place/keys");
    assertThat(file).doesNotExist();
    Files.writeString(file, "broken\n");
    refused(1, "line 1: must be NAME SCOPES SHA256", "--file", "keys", "--list");
  }
}
