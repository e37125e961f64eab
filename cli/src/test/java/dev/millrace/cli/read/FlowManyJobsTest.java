package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.json.Json;
import dev.millrace.core.task.Failure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code flow} on many jobs, and waiting. */
@Timeout(60)
class FlowManyJobsTest extends CommandFixture {
  private static Object fails(dev.millrace.core.store.Claim claim) {
    return claim.inputText().startsWith("bad") ? Failure.permanent("bad") : claim.inputText();
  }

  @Test
  void aTagSelectsIdsInOrder() {
    String one = cli.submit("ws", "1", "--tag", "t");
    cli.submit("ws", "other");
    String two = cli.submit("ws", "2", "--tag", "t", "--tag", "u");
    InProcessCli.work(ws, FlowManyJobsTest::fails);
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
  void aSetAsJsonIsOneObjectPerLineAndReportsFailures() {
    cli.submit("ws", "1", "--tag", "t");
    InProcessCli.Result queued = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(queued.status()).isZero();
    assertThat(Json.object(queued.out()).get("status")).isEqualTo("queued");
    cli.submit("ws", "bad 2", "--tag", "t");
    InProcessCli.work(ws, FlowManyJobsTest::fails);
    InProcessCli.Result result = cli.run("flow", "ws", "--tag", "t", "--json");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.lines())
        .extracting(line -> Json.object(line).get("status"))
        .containsExactly("done", "failed");
  }

  @Test
  void anIdleWorkspaceIsNotWaitedFor() {
    cli.submit("ws", "1");
    InProcessCli.work(ws, FlowManyJobsTest::fails);
    cli.submit("ws", "held", "--hold");
    assertThat(cli.run("flow", "ws", "-W"))
        .isEqualTo(new InProcessCli.Result(0, "idle (1 done, 0 failed)\n", ""));
    assertThat(cli.run("flow", "ws", "-W", "--json").out())
        .startsWith("{\"queued\":0,\"running\":0,\"done\":1,\"failed\":0");
  }

  @Test
  void waitingEndsWhenTheLastJobHasEnded() throws Exception {
    for (int i = 0; i < 5; i++) {
      cli.submit("ws", "bad " + i, "--tag", "t");
    }
    CompletableFuture<InProcessCli.Result> all = waiting("flow", "ws", "-W");
    CompletableFuture<InProcessCli.Result> some = waiting("flow", "ws", "-W", "--tag", "t");
    InProcessCli.work(ws, FlowManyJobsTest::fails);
    InProcessCli.Result ended = all.get(30, TimeUnit.SECONDS);
    assertThat(ended.status()).isEqualTo(1);
    assertThat(ended.out()).isEqualTo("idle (0 done, 5 failed)\n");
    ended = some.get(30, TimeUnit.SECONDS);
    assertThat(ended.status()).isEqualTo(1);
    assertThat(ended.out()).isEmpty();
  }

  @Test
  void aPausedJobDoesNotKeepTheWorkspaceBusy() throws Exception {
    String id = cli.submit("ws", "1", "--tag", "t");
    CompletableFuture<InProcessCli.Result> all = waiting("flow", "ws", "-W");
    cli.run("pause", "ws", id);
    assertThat(all.get(30, TimeUnit.SECONDS).out()).isEqualTo("idle (0 done, 0 failed)\n");
  }

  @Test
  void waitingForOneJobPrintsItsResult() throws Exception {
    String id = cli.submit("ws", "one");
    CompletableFuture<InProcessCli.Result> wait = waiting("flow", "ws", id, "--wait");
    CompletableFuture<InProcessCli.Result> follow = waiting("flow", "ws", id, "--follow");
    CompletableFuture<InProcessCli.Result> json = waiting("flow", "ws", id, "-f", "--json");
    InProcessCli.workAll(ws);
    assertThat(wait.get(30, TimeUnit.SECONDS)).isEqualTo(new InProcessCli.Result(0, "ONE\n", ""));
    InProcessCli.Result followed = follow.get(30, TimeUnit.SECONDS);
    assertThat(followed.out()).isEqualTo("ONE\n");
    assertThat(followed.err()).contains("job submitted", "task 1/1 claim by test", "job complete");
    java.util.List<String> lines = json.get(30, TimeUnit.SECONDS).lines();
    assertThat(Json.object(lines.getFirst()).get("event")).isEqualTo("submit");
    assertThat(Json.object(lines.getLast()).get("result")).isEqualTo("ONE");
  }

  @Test
  void cancellingEndsTheWaitWithAFailure() throws Exception {
    String id = cli.submit("ws", "one", "--tag", "t");
    CompletableFuture<InProcessCli.Result> wait = waiting("flow", "ws", id, "-w");
    CompletableFuture<InProcessCli.Result> set = waiting("flow", "ws", "--tag", "t", "-W");
    cli.run("abort", "ws", id);
    assertThat(wait.get(30, TimeUnit.SECONDS).status()).isEqualTo(1);
    assertThat(set.get(30, TimeUnit.SECONDS).status()).isEqualTo(1);
  }

  private CompletableFuture<InProcessCli.Result> waiting(String... args) {
    return CompletableFuture.supplyAsync(
        () -> new InProcessCli(dir).run(args), command -> Thread.ofVirtual().start(command));
  }
}
