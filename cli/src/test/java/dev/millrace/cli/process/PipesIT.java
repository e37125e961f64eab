package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.documents.PrometheusRules;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The house model over several processes, which are killed, frozen and restarted. */
@ResourceLock(LauncherProcess.CORES)
class PipesIT extends LauncherFixture {
  private static final int TOKENS = Boolean.getBoolean("millrace.proof") ? 400 : 80;
  private static final int FAULTS = Boolean.getBoolean("millrace.proof") ? 50 : 6;

  private NodeProcesses nodes;

  @BeforeEach
  void open() {
    nodes = NodeProcesses.network(dir);
    NodeProcesses.copy(
        HouseModel.in(LauncherProcess.script().getParent()), dir.resolve("house.gguf"));
  }

  @AfterEach
  void end() {
    nodes.close();
  }

  private LauncherProcess serve(String workspace, String... options) {
    List<String> args =
        new ArrayList<>(List.of("--threads", "1", "--end-model", "house=house.gguf"));
    args.addAll(nodes.joining());
    args.addAll(List.of(options));
    return launchServer(workspace, args);
  }

  private List<String> submit(String workspace, int count, int tokens) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(
          cli.submit(
              workspace,
              "Write a story about a " + (i % 2 == 0 ? "cat" : "boat") + " and the number " + i,
              "--seed",
              Integer.toString(i),
              "-n",
              Integer.toString(tokens)));
    }
    return ids;
  }

  /** The results of one process for the same jobs. */
  private List<String> alone(int count, int tokens) {
    List<String> ids = submit("alone", count, tokens);
    drain("alone", "--threads", "2", "--model", "house=house.gguf");
    return results("alone", ids);
  }

  private List<String> results(String workspace, List<String> ids) {
    List<String> texts = new ArrayList<>();
    for (String id : ids) {
      InProcessCli.Result result = cli.run("flow", workspace, id);
      assertThat(result.status()).as(id + ": " + result).isZero();
      texts.add(result.out());
    }
    return texts;
  }

  private boolean allDone(String workspace, List<String> ids) {
    return ids.stream().allMatch(id -> Files.isDirectory(dir.resolve(workspace + "/output/" + id)));
  }

  private void awaitDone(
      LauncherProcess server, String workspace, List<String> ids, Duration limit) {
    soon()
        .atMost(limit)
        .conditionEvaluationListener(
            _ -> assertThat(server.isAlive()).as(server.out() + server.err()).isTrue())
        .until(() -> allDone(workspace, ids));
  }

  /** Every layer but the origin's is at two of the three nodes. */
  private void threeNodes() {
    nodes.start("one", "--layers", "house.gguf:1-3", "--threads", "1");
    nodes.start("two", "--layers", "house.gguf:4-6", "--threads", "1");
    nodes.start("three", "--layers", "house.gguf:1-6", "--threads", "1");
  }

  private void awaitNothingHeld(String at) {
    soon()
        .untilAsserted(
            () -> {
              for (Object each : nodes.ask("nodes", at).list("nodes")) {
                JsonObject node = JsonObject.of(each, "node");
                assertThat(node.integer("passages")).as(node.toString()).isZero();
              }
            });
  }

  @Test
  void killsFreezesAndRestartsChangeNoByteOfFiftyJobs() {
    long seed = System.nanoTime();
    List<String> expected = alone(50, TOKENS);
    threeNodes();
    List<String> ids = submit("ws", 50, TOKENS);
    LauncherProcess server = serve("ws", "--slots", "50");
    Random random = new Random(seed);
    List<String> done = new ArrayList<>();
    for (int blow = 0; blow < FAULTS && !allDone("ws", ids); blow++) {
      awaitMove(ids); // something is generated between two faults
      String name = nodes.names().get(random.nextInt(3));
      if (random.nextInt(3) > 0) {
        done.add("kill " + name);
        nodes.process(name).signal("KILL").result();
        nodes.restart(name);
      } else {
        done.add("freeze " + name);
        LauncherProcess frozen = nodes.process(name).signal("STOP");
        awaitMove(ids); // the pipe goes on without it
        frozen.signal("CONT");
      }
    }
    awaitDone(server, "ws", ids, Duration.ofSeconds(180));
    assertThat(results("ws", ids))
        .as("seed %d, %s%n%s%n%s", seed, done, server.out(), nodes.logs())
        .isEqualTo(expected);
    awaitNothingHeld("one");
    assertThat(server.signal("TERM").result().status()).as(server.err()).isZero();
    soon()
        .untilAsserted(
            () -> {
              for (Object each : nodes.ask("nodes", "one").list("nodes")) {
                JsonObject node = JsonObject.of(each, "node");
                assertThat(node.integer("sessions")).as(node.toString()).isZero();
                assertThat(node.integer("cache_bytes")).as(node.toString()).isZero();
              }
            });
  }

  private void awaitMove(List<String> ids) {
    long before = written(ids);
    soon()
        .atMost(Duration.ofSeconds(90))
        .until(() -> written(ids) >= before + 4_000 || allDone("ws", ids));
  }

  /** The journaled bytes of jobs; a finished job counts too. */
  private long written(List<String> ids) {
    long bytes = 0;
    for (String id : ids) {
      bytes += Files.isDirectory(dir.resolve("ws/output/" + id)) ? 100_000 : journaled(id);
    }
    return bytes;
  }

  @Test
  void anotherServerResumesAfterTheOriginIsKilled() {
    List<String> expected = alone(4, 400);
    threeNodes();
    List<String> ids = submit("ws", 4, 400);
    LauncherProcess first = serve("ws");
    soon().until(() -> journaled(ids.getFirst()) > 2_000);
    first.signal("KILL").result();
    LauncherProcess second = serve("ws");
    awaitDone(second, "ws", ids, Duration.ofSeconds(120));
    assertThat(results("ws", ids)).as(second.out()).isEqualTo(expected);
    assertThat(cli.run("job", "ws", ids.getFirst(), "--json").out()).contains("\"resumed");
    awaitNothingHeld("two");
  }

  private long journaled(String id) {
    return dir.resolve("ws/processing/" + id + "/journal.jsonl").toFile().length();
  }

  @Test
  void missingLayersAreAwaitedAndReported() {
    nodes.start("one", "--layers", "house.gguf:1-3", "--threads", "1");
    List<String> ids = submit("ws", 2, 20);
    LauncherProcess server = serve("ws");
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
    LauncherProcess server = serve("ws");
    soon().until(() -> server.out().contains("same name"));
    assertThat(Json.write(nodes.ask("pipes", "one").values())).contains("same name");
    assertThat(dir.resolve("ws/input/ready/" + ids.getFirst())).isDirectory();
    nodes.start("two", "--layers", "house.gguf:1-6", "--threads", "1");
    awaitDone(server, "ws", ids, Duration.ofSeconds(60));
  }

  @Test
  void anAbortedJobLeavesNothingAtNodes() {
    threeNodes();
    String id = cli.submit("ws", "Write a story", "-n", "4000", "--param", "ignore_eos=true");
    LauncherProcess server = serve("ws");
    soon().untilAsserted(() -> assertThat(passages()).isPositive());
    InProcessCli.Result aborted = cli.run("abort", "ws", id);
    assertThat(aborted.status()).as(aborted.toString()).isZero();
    awaitNothingHeld("one");
    soon().until(() -> cli.run("flow", "ws", id).err().startsWith("Job cancelled"));
    List<String> next = submit("ws", 1, 8);
    awaitDone(server, "ws", next, Duration.ofSeconds(60));
  }

  private long passages() {
    return nodes.ask("nodes", "one").list("nodes").stream()
        .mapToLong(each -> JsonObject.of(each, "node").integer("passages"))
        .sum();
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
    List<String> options = new ArrayList<>(List.of("--port", "0", "--threads", "1"));
    options.addAll(List.of("--end-model", "house=house.gguf"));
    options.addAll(nodes.joining());
    try (ServeProcess server = ServeProcess.start(dir, options.toArray(String[]::new));
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
    LauncherProcess server = serve("ws");
    soon().until(() -> status().contains("waits for a pipe"));
    InProcessCli.Result stopped = cli.run("serve", "-d", "ws", "--stop", "--timeout", "10");
    assertThat(stopped.err()).as("told once").isEmpty();
    assertThat(stopped.status()).as(stopped + server.out()).isZero();
    assertThat(server.result().status()).as(server.err()).isZero();
    assertThat(dir.resolve("ws/input/ready/" + ids.getFirst())).isDirectory();
  }
}
