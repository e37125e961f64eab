package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.log.Log;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServeHttpSettingsTest {
  @TempDir Path dir;

  private ServeHttpSettings http(String... words) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Shell shell =
        new Shell(InputStream.nullInputStream(), nowhere, nowhere, Map.of(), dir, _ -> false);
    Arguments given = ArgumentParser.parse(new ServeCommand().syntax(), words, 0);
    return ServeHttpSettings.of(shell, given);
  }

  private AbstractThrowableAssert<?, ?> refused(String... words) {
    return assertThatThrownBy(() -> http(words)).as(List.of(words).toString());
  }

  private Path keys() throws IOException {
    Path file = dir.resolve("keys");
    ApiKeyFile.add(file, "me", Set.of(KeyScope.READ));
    return file;
  }

  @Test
  void itListensOnLoopbackByDefault() {
    ServeHttpSettings usual = http();
    assertThat(usual.settings().host()).isEqualTo("127.0.0.1");
    assertThat(usual.settings().port()).isEqualTo(8080);
    assertThat(usual.settings().keys()).isNull();
    assertThat(usual.settings().tls()).isNull();
    assertThat(usual.settings().limits().rate().perSecond()).as("no keys, no limit").isZero();
    assertThat(usual.anyFreePort()).as("another port will do").isTrue();
    assertThat(usual.hooks()).isNull();
    assertThat(usual.accessLog()).isNull();
  }

  @Test
  void anAddressForOthersWithoutTlsIsAWarning() throws IOException {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    Log.configure(Map.of(), new PrintStream(log), new PrintStream(log), true);
    try {
      http("--bind", "127.0.0.1");
      assertThat(log.toString()).isEmpty();
      http("--bind", "0.0.0.0", "--api-key-file", keys().toString());
      assertThat(log.toString()).contains("[WARN]", "--bind 0.0.0.0 without TLS", "--tls-cert");
    } finally {
      Log.configure(Map.of(), System.out, System.err, false);
    }
  }

  @Test
  void aNamedPortIsUsed() {
    assertThat(http("--port", "8080").anyFreePort()).isFalse();
    assertThat(http("--port", "0").settings().port()).isZero();
    assertThat(http("--bind", "localhost").anyFreePort()).isTrue();
  }

  @Test
  void aDrainServesNoHttpUnlessItIsAskedFor() {
    assertThat(http("--drain")).isNull();
    assertThat(http("--no-http")).isNull();
    assertThat(http("--drain", "--port", "0")).isNotNull();
  }

  @Test
  void aPublicAddressNeedsKeys() throws IOException {
    refused("--bind", "0.0.0.0")
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("there are no API keys; pass --api-key-file keys")
        .hasMessageContaining("\"millrace apikey client --file keys\" creates it");
    ServeHttpSettings keyed = http("--bind", "0.0.0.0", "--api-key-file", keys().toString());
    assertThat(keyed.settings().host()).isEqualTo("0.0.0.0");
    assertThat(keyed.settings().limits().rate().perSecond()).isEqualTo(1_000);
    assertThat(http("--rate", "7").settings().limits().rate().perSecond()).isEqualTo(7);
  }

  @Test
  void streamsAndWaitingDequeuesHaveLimits() {
    HttpLimits usual = http("--port", "0").settings().limits();
    assertThat(usual.concurrency()).isEqualTo(HttpLimits.Concurrency.DEFAULT);
    HttpLimits more =
        http("--max-streams", "40000", "--max-dequeues", "7", "--max-dequeues-per-key", "7")
            .settings()
            .limits();
    assertThat(more.concurrency().streams()).isEqualTo(new HttpLimits.Cap(10_000, 40_000));
    assertThat(more.concurrency().longPolls()).isEqualTo(new HttpLimits.Cap(7, 7));
    assertThat(more.maxConnections()).as("each may take one").isGreaterThan(40_007);
    refused("--max-streams-per-key", "8001")
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "--max-streams-per-key 8001 is more than all clients may have (8000); raise"
                + " --max-streams too");
    refused("--max-dequeues", "0").isInstanceOf(UsageException.class);
  }

  @Test
  void filesAreReadBeforeAnythingIsServed() throws IOException {
    refused("--api-key-file", "none")
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("no such file of keys");
    Files.writeString(dir.resolve("bad"), "# mine\nme read,write " + "0".repeat(64) + "\n");
    refused("--api-key-file", "bad")
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("line 2: scope \"write\"");
    Files.writeString(dir.resolve("empty"), "\n");
    refused("--api-key-file", "empty").hasMessageContaining("no key in");
    Files.setPosixFilePermissions(keys(), PosixFilePermissions.fromString("rw-rw-rw-"));
    refused("--api-key-file", "keys")
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith("cannot use the API keys in " + dir.resolve("keys"))
        .hasMessageContaining("chmod go-w");
    refused("--tls-cert", "a.pem", "--tls-key", "b.pem")
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("--tls-cert: there is no file")
        .hasMessageContaining("a.pem");
    refused("--webhook-allow", "x", "--webhook-secret-file", "none")
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("none does not exist");
    Files.writeString(dir.resolve("short"), "secret\n");
    refused("--webhook-allow", "x", "--webhook-secret-file", "short")
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("at least 16 characters");
  }

  @Test
  void webhooksHaveASecretAndAllowedHosts() throws IOException {
    Files.writeString(dir.resolve("secret"), "  sixteen characters\n");
    String[] both = {"--webhook-allow", "hooks.example", "--webhook-secret-file", "secret"};
    assertThat(http(both).hooks().secret()).isEqualTo("sixteen characters");
    refused("--webhook-allow", "a..b", "--webhook-secret-file", "secret")
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("pattern \"a..b\"");
  }

  @Test
  void logsAndTracesHaveTheirTargets() {
    assertThat(http("--access-log", "-").accessLog()).isEqualTo("-");
    assertThat(http("--access-log", "log").accessLog()).isEqualTo(dir.resolve("log").toString());
    assertThat(http("--otlp", "http://collector:4318").settings().otlp())
        .isEqualTo(URI.create("http://collector:4318"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --tls-cert a                | --tls-cert and --tls-key go together
          --tls-key a                 | --tls-cert and --tls-key go together
          --webhook-allow a           | webhooks are always signed
          --webhook-secret-file a     | webhooks are always signed
          --no-http --port 1          | --no-http and --port
          --no-http --otlp http://a   | --no-http and --otlp
          --port 65536                | --port must be a whole number from 0 to 65535
          --rate 0                    | --rate must be a whole number from 1 to 1000000
          --bind no.such.host.invalid | is not a name or address of this machine
          --otlp collector:4318       | --otlp must be http://
          --otlp http:///x            | --otlp must be http://
          """)
  void wrongOptionsAreRejectedByName(String words, String message) {
    refused(words.split(" ")).isInstanceOf(UsageException.class).hasMessageContaining(message);
  }

  @Test
  void aProgramCannotHaveTheTypePipeline() {
    InProcessCli cli = new InProcessCli(dir);
    InProcessCli.Result refused = cli.run("serve", "-d", "ws", "--exec", "pipeline=cat");
    assertThat(refused.status()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("--exec pipeline=…").contains("--no-http");
    assertThat(dir.resolve("ws")).as("refused before it is made").doesNotExist();
  }
}
