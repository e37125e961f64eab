package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.task.Failure;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code flow} on many jobs, and waiting. */
@Timeout(60)
class FlowSetTest {
  @TempDir Path dir;
  private Path ws;
  private Cli cli;

  @BeforeEach
  void open() {
    ws = dir.resolve("ws");
    cli = new Cli(dir);
  }

  private static Object fails(dev.millrace.core.store.Claim claim) {
    return claim.inputText().startsWith("bad") ? Failure.permanent("bad") : claim.inputText();
  }

  @Test
  void aTagSelectsIdsInOrder() {
    String one = cli.submit("ws", "1", "--tag", "t");
    cli.submit("ws", "other");
    String two = cli.submit("ws", "2", "--tag", "t", "--tag", "u");
    Cli.work(ws, FlowSetTest::fails);
    String three = cli.submit("ws", "bad 3", "--tag", "t");
    assertThat(cli.run("flow", "ws", "--tag", "t").lines()).containsExactly(one, two, three);
    assertThat(cli.run("flow", "ws", "--tag", "none").out()).isEmpty();
    assertThat(cli.run("flow", "ws", "--tag", "none").status()).isZero();
  }

  @Test
  void childrenSelectByParentAndBothSelectEither() {
    String parent = cli.submit("ws", "p");
    String child = cli.submit("ws", "c", "--parent", parent);
    String tagged = cli.submit("ws", "t", "--tag", "t");
    assertThat(cli.run("flow", "ws", "--children", parent).lines()).containsExactly(child);
    assertThat(cli.run("flow", "ws", "--children", parent, "--tag", "t").lines())
        .containsExactly(child, tagged);
  }

  @Test
  void aSetAsJsonIsOneObjectALineAndTellsOfFailures() {
    cli.submit("ws", "1", "--tag", "t");
    Cli.Result queued = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(queued.status()).isZero();
    assertThat(Json.object(queued.out()).get("status")).isEqualTo("queued");
    cli.submit("ws", "bad 2", "--tag", "t");
    Cli.work(ws, FlowSetTest::fails);
    Cli.Result result = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.lines())
        .extracting(line -> Json.object(line).get("status"))
        .containsExactly("done", "failed");
  }

  @Test
  void anIdleWorkspaceIsNotWaitedFor() {
    cli.submit("ws", "1");
    Cli.work(ws, FlowSetTest::fails);
    cli.submit("ws", "held", "--hold");
    assertThat(cli.run("flow", "ws", "-W"))
        .isEqualTo(new Cli.Result(0, "idle (1 done, 0 failed)\n", ""));
    assertThat(cli.run("flow", "ws", "-W", "--json").out())
        .startsWith("{\"queued\":0,\"running\":0,\"done\":1,\"failed\":0");
  }

  @Test
  void waitingEndsWhenTheLastJobHasEnded() throws Exception {
    for (int i = 0; i < 5; i++) {
      cli.submit("ws", "bad " + i, "--tag", "t");
    }
    CompletableFuture<Cli.Result> all = waiting("flow", "ws", "-W");
    CompletableFuture<Cli.Result> some = waiting("flow", "ws", "-W", "--tag", "t");
    Cli.work(ws, FlowSetTest::fails);
    assertThat(all.get(30, TimeUnit.SECONDS))
        .isEqualTo(new Cli.Result(1, "idle (0 done, 5 failed)\n", ""));
    assertThat(some.get(30, TimeUnit.SECONDS)).isEqualTo(new Cli.Result(1, "", ""));
  }

  @Test
  void aPausedJobDoesNotKeepTheWorkspaceBusy() throws Exception {
    String id = cli.submit("ws", "1", "--tag", "t");
    CompletableFuture<Cli.Result> all = waiting("flow", "ws", "-W");
    cli.run("pause", "ws", id);
    assertThat(all.get(30, TimeUnit.SECONDS).out()).isEqualTo("idle (0 done, 0 failed)\n");
  }

  @Test
  void waitingForOneJobPrintsItsResult() throws Exception {
    String id = cli.submit("ws", "one");
    CompletableFuture<Cli.Result> wait = waiting("flow", "ws", id, "--wait");
    CompletableFuture<Cli.Result> follow = waiting("flow", "ws", id, "--follow");
    CompletableFuture<Cli.Result> json = waiting("flow", "ws", id, "-f", "--json");
    Cli.workAll(ws);
    assertThat(wait.get(30, TimeUnit.SECONDS)).isEqualTo(new Cli.Result(0, "ONE\n", ""));
    Cli.Result followed = follow.get(30, TimeUnit.SECONDS);
    assertThat(followed.out()).isEqualTo("ONE\n");
    assertThat(followed.err()).contains("job submitted", "task 1/1 claim by test", "job complete");
    java.util.List<String> lines = json.get(30, TimeUnit.SECONDS).lines();
    assertThat(Json.object(lines.getFirst()).get("event")).isEqualTo("submit");
    assertThat(Json.object(lines.getLast()).get("result")).isEqualTo("ONE");
  }

  @Test
  void cancellingEndsTheWaitWithAFailure() throws Exception {
    String id = cli.submit("ws", "one", "--tag", "t");
    CompletableFuture<Cli.Result> wait = waiting("flow", "ws", id, "-w");
    CompletableFuture<Cli.Result> set = waiting("flow", "ws", "--tag", "t", "-W");
    cli.run("abort", "ws", id);
    assertThat(wait.get(30, TimeUnit.SECONDS).status()).isEqualTo(1);
    assertThat(set.get(30, TimeUnit.SECONDS).status()).isEqualTo(1);
  }

  private CompletableFuture<Cli.Result> waiting(String... args) {
    return CompletableFuture.supplyAsync(
        () -> new Cli(dir).run(args), command -> Thread.ofVirtual().start(command));
  }
}
