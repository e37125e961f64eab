package dev.millrace.cli.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code nodes} and {@code pipes} without a network; {@code PipeStatusIT} tests them with nodes. */
class NetworkQueryTest extends CommandFixture {
  @BeforeEach
  void open() {
    cli.run("keygen", "net.key");
  }

  private void refused(int status, String message, String... args) {
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isEqualTo(status);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("Error: ").contains(message);
  }

  /** A port without a listener. */
  private static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nodes", "pipes"})
  void wrongArgumentsAreRejected(String command) {
    refused(2, "no member to ask", command);
    refused(2, "pass --key-file net.key", command, "--join", "127.0.0.1:1");
    refused(2, "is no address", command, "--join", "x", "--key-file", "net.key");
    refused(1, "there is no file", command, "--join", "a:1", "--key-file", "none");
    refused(1, "none.toml does not exist", command, "--config", "none.toml");
    refused(2, "unexpected argument: x", command, "x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nodes", "pipes"})
  void aMemberThatDoesNotAnswerIsNamed(String command) throws IOException {
    String one = "127.0.0.1:" + free();
    String other = "127.0.0.1:" + free();
    refused(1, one, command, "--join", one, "--join", other, "--key-file", "net.key");
    refused(1, other, command, "--join", one, "--join", other, "--key-file", "net.key");
  }

  /** The configuration may be that of a node or of a server. */
  @Test
  void theMemberOfTheConfigurationIsAskedFirst() throws IOException {
    String own = "127.0.0.1:" + free();
    String told = "127.0.0.1:" + free();
    Files.writeString(
        dir.resolve("n.toml"),
        "key-file = \"net.key\"\nlisten = \"" + own + "\"\nmemory = \"1G\"\n");
    refused(1, own, "nodes", "--config", "n.toml");
    Files.writeString(
        dir.resolve("s.toml"),
        "key-file = \"net.key\"\nend-model = \"m\"\njoin = \"" + told + "\"\nslots = 3\n");
    refused(1, told, "pipes", "--config", "s.toml");
    refused(1, own, "pipes", "--config", "s.toml", "--join", own);
  }
}
