package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.core.json.JsonObject;
import java.nio.file.Files;
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
  private static final int FAULTS = Boolean.getBoolean("millrace.proof") ? 50 : 4;

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

  private LauncherProcess serve(String... options) {
    return launchServer("ws", nodes.serving(options));
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
    LauncherProcess server = serve("--slots", "50");
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
    LauncherProcess first = serve();
    soon().until(() -> journaled(ids.getFirst()) > 2_000);
    first.signal("KILL").result();
    LauncherProcess second = serve();
    awaitDone(second, "ws", ids, Duration.ofSeconds(120));
    assertThat(results("ws", ids)).as(second.out()).isEqualTo(expected);
    assertThat(cli.run("job", "ws", ids.getFirst(), "--json").out()).contains("\"resumed");
    awaitNothingHeld("two");
  }

  private long journaled(String id) {
    return dir.resolve("ws/processing/" + id + "/journal.jsonl").toFile().length();
  }

  @Test
  void anAbortedJobLeavesNothingAtNodes() {
    threeNodes();
    String id = cli.submit("ws", "Write a story", "-n", "4000", "--param", "ignore_eos=true");
    LauncherProcess server = serve();
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
}
