package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.documents.PrometheusRules;
import dev.millrace.core.json.Json;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A network that is not complete, or not as it should be: what its processes do and say. The model
 * is as deep as the bundled one and else tiny, because nothing depends on its text.
 */
class PipeStatusIT extends LauncherFixture {
  private static final ModelShape SHAPE =
      new ModelShape("llama", 7, 64, 2, 1, 32, 128, 320, 256, true, false, Map.of());

  private NodeProcesses nodes;

  @BeforeEach
  void open() throws IOException {
    nodes = NodeProcesses.network(dir);
    RandomModels.write(dir.resolve("house.gguf"), SHAPE, TensorType.Q8_0, 1);
  }

  @AfterEach
  void end() {
    nodes.close();
  }

  private LauncherProcess serve() {
    return launchServer("ws", nodes.serving());
  }

  @Test
  void missingLayersAreAwaitedAndReported() {
    nodes.start("one", "--layers", "house.gguf:1-3", "--threads", "1");
    List<String> ids = submit("ws", 2, 20);
    LauncherProcess server = serve();
    soon().until(() -> server.out().contains("4-6"));
    soon().until(() -> nodes.ask("pipes", "one").toString().contains("4-6"));
    for (String id : ids) {
      assertThat(dir.resolve("ws/input/ready/" + id)).as("it is not even begun").isDirectory();
    }
    nodes.start("two", "--layers", "house.gguf:4-6", "--threads", "1");
    awaitDone(server, "ws", ids, Duration.ofSeconds(60));
    nodes.process("two").signal("KILL");
    List<String> later = submit("ws", 2, 20);
    soon().until(() -> nodes.ask("pipes", "one").toString().contains("missing"));
    nodes.restart("two");
    awaitDone(server, "ws", later, Duration.ofSeconds(60));
  }

  @Test
  void aNodeWithAnotherKeyLearnsWhyItIsRejected() {
    nodes.start("one", "--layers", "house.gguf", "--threads", "1");
    soon().until(() -> nodes.process("one").out().contains("127.0.0.1"));
    assertThat(cli.run("keygen", "other.key").status()).isZero();
    for (String[] line :
        new String[][] {
          {"node", "--name", "two", "--listen", "127.0.0.1:0", "--layers", "house.gguf"}, {"nodes"}
        }) {
      List<String> args = new ArrayList<>(List.of(line));
      args.addAll(List.of("--key-file", "other.key", "--join", nodes.address("one")));
      try (LauncherProcess stranger = LauncherProcess.start(dir, args.toArray(String[]::new))) {
        InProcessCli.Result result = stranger.result();
        assertThat(result.status()).as(result.toString()).isEqualTo(1);
        assertThat(result.err()).contains("another network key").doesNotContain("\tat ");
      }
    }
    assertThat(nodes.ask("nodes", "one").list("nodes")).hasSize(1);
  }

  @Test
  void aDifferentModelWithTheSameNameIsNotUsed() throws IOException {
    Path other = Files.createDirectory(dir.resolve("elsewhere"));
    byte[] bytes = Files.readAllBytes(dir.resolve("house.gguf"));
    bytes[bytes.length - 1] ^= 1; // one weight of the last tensor
    Files.write(other.resolve("house.gguf"), bytes);
    nodes.start("one", "--layers", "elsewhere/house.gguf:1-6", "--threads", "1");
    List<String> ids = submit("ws", 1, 8);
    LauncherProcess server = serve();
    soon().until(() -> server.out().contains("same name"));
    assertThat(Json.write(nodes.ask("pipes", "one").values())).contains("same name");
    assertThat(dir.resolve("ws/input/ready/" + ids.getFirst())).isDirectory();
    nodes.start("two", "--layers", "house.gguf:1-6", "--threads", "1");
    awaitDone(server, "ws", ids, Duration.ofSeconds(60));
  }

  @Test
  void aConfigurationFileReplacesOptions() throws IOException {
    String at = "127.0.0.1:" + NodeProcesses.freePorts();
    Files.writeString(
        dir.resolve("node.toml"),
        """
        name = "one"
        listen = "%s"
        key-file = "network.key"
        layers = ["house.gguf:1-3", "house.gguf:4-6"]
        threads = 1
        """
            .formatted(at));
    Files.writeString(
        dir.resolve("serve.toml"),
        """
        workspace = "ws"
        end-model = "big=house.gguf"
        node-name = "desk"
        join = "%s"
        key-file = "network.key"
        no-http = true
        threads = 1
        """
            .formatted(at));
    List<String> ids = submit("ws", 1, 8);
    LauncherProcess node = endWithTest(LauncherProcess.start(dir, "node", "--config", "node.toml"));
    LauncherProcess server =
        endWithTest(LauncherProcess.start(dir, "serve", "--config", "serve.toml"));
    awaitDone(server, "ws", ids, Duration.ofSeconds(60));
    assertThat(cli.run("nodes", "--config", "node.toml").lines())
        .as(node.out())
        .anySatisfy(line -> assertThat(line).startsWith("one ").contains(at, "house:1-3"));
    assertThat(cli.run("pipes", "--config", "serve.toml").out())
        .contains("|=|======|", "    layers 0 desk, 1-6 one\n");
    assertThat(cli.run("serve", "--config", "serve.toml", "--status").out()).startsWith("ready (");
    InProcessCli.Result stopped = cli.run("serve", "--config", "serve.toml", "--stop");
    assertThat(stopped.status()).as(stopped + server.out()).isZero();
    assertThat(server.result().status()).isZero();
    try (BackgroundCommand watch =
        BackgroundCommand.start(dir, "nodes", "--config", "node.toml", "--watch")) {
      soon().until(() -> watch.out().contains("house:4-6"));
      node.signal("TERM");
      watch.awaitErr("nothing listens there").interrupt();
      assertThat(watch.result().status()).isEqualTo(ExitCode.INTERRUPTED);
    }
  }

  @Test
  void theReasonForWaitingIsShownEverywhere() throws IOException {
    nodes.start("one", "--layers", "house.gguf:1-3", "--threads", "1");
    String id = submit("ws", 1, 8).getFirst();
    String[] options = nodes.serving("--port", "0").toArray(String[]::new);
    try (ServeProcess server = ServeProcess.start(dir, options);
        PlainHttpClient peer = PlainHttpClient.of(server.uri())) {
      soon().until(() -> peer.get("/health").body().contains("layers 4-6 are missing"));
      assertThat(peer.get("/health").status()).isEqualTo(200);
      soon().until(() -> status().contains("; model house waits for a pipe: layers 4-6 are"));
      assertThat(cli.run("flow", "ws", id).err())
          .contains("1st of 1; model house waits for a pipe: ")
          .doesNotContain("starts in");
      nodes.start("two", "--layers", "house.gguf:4-6", "--threads", "1");
      awaitDone(server.process(), "ws", List.of(id), Duration.ofSeconds(60));
      String metrics = peer.get("/metrics").body();
      assertThat(metrics).contains("millrace_pipe_ready{model=\"house\"} 1.0");
      assertThat(PrometheusRules.metrics(Path.of("..")))
          .filteredOn(name -> name.startsWith(PrometheusRules.PIPES))
          .isNotEmpty()
          .allMatch(name -> metrics.contains("\n" + name + "{"));
      assertThat(peer.get("/health").body()).doesNotContain("waiting");
      soon().until(() -> !status().contains("waits"));
    }
  }

  @Test
  void aServerThatWaitsForAPipeCanBeStopped() {
    nodes.start("one", "--layers", "house.gguf:1-3", "--threads", "1");
    List<String> ids = submit("ws", 1, 8);
    LauncherProcess server = serve();
    soon().until(() -> status().contains("waits for a pipe"));
    InProcessCli.Result stopped = cli.run("serve", "-d", "ws", "--stop", "--timeout", "10");
    assertThat(stopped.err()).as("told once").isEmpty();
    assertThat(stopped.status()).as(stopped + server.out()).isZero();
    assertThat(server.result().status()).as(server.err()).isZero();
    assertThat(dir.resolve("ws/input/ready/" + ids.getFirst())).isDirectory();
  }
}
