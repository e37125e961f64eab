package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.place.LocalWorkspace;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The speed that {@code flow} shows, with a clock of the test. */
class StageSpeedTest extends FollowFixture {
  private long now;

  private String submit(String stage) {
    return cli.stdin("{\"stages\": [" + stage + "]}").submit("ws", "--job", "-");
  }

  private JobView job(String id) {
    return store.find(new JobId(id)).orElseThrow();
  }

  private void generate(Claim claim, int tokens) {
    store.appendJournal(claim, new OutputChunk(Collections.nCopies(tokens, 7), "x"));
  }

  private void complete(Claim claim, int tokens) {
    store.complete(
        claim,
        TaskResult.of("x").withReceipt(JsonObject.create().put("completion_tokens", tokens)));
  }

  private String look(StageSpeed speed, String id, int unfinished) {
    now += Duration.ofSeconds(1).toNanos();
    var stage = job(id).stages().getFirst();
    speed.sample(store, stage, now);
    return speed.text(unfinished, stage.spec().data());
  }

  @Test
  void aStageOfTextsHasATimeBeforeItsFirstTaskHasEnded() {
    String id =
        submit(
            "{\"type\": \"generate\", \"data\": {\"max_tokens\": 100}, \"tasks\": [\"a\", \"b\"]}");
    Claim claim = begin();
    generate(claim, 40); // before anybody looked
    StageSpeed speed = new StageSpeed(true, job(id), 1);
    assertThat(look(speed, id, 2)).isEmpty();
    generate(claim, 10);
    look(speed, id, 2);
    generate(claim, 10);
    assertThat(look(speed, id, 2)).as("too early for a time").isEqualTo(", 10.0 tokens/s");
    generate(claim, 10);
    assertThat(look(speed, id, 2)).isEqualTo(", 10.0 tokens/s, at most 13 s left");
    for (int i = 0; i < 6; i++) {
      look(speed, id, 2);
    }
    assertThat(look(speed, id, 2)).as("no tokens come").isEmpty();
  }

  @Test
  void aStageWithoutTokensHasTheRateOfItsTasks() {
    String id = submit("{\"type\": \"generate\", \"tasks\": [\"a\", \"b\", \"c\", \"d\", \"e\"]}");
    StageSpeed speed = new StageSpeed(true, job(id), 1);
    look(speed, id, 5);
    for (int left = 4; left > 2; left--) {
      store.complete(claim(), TaskResult.of("x"));
      assertThat(look(speed, id, left)).isEmpty();
    }
    store.complete(claim(), TaskResult.of("x"));
    assertThat(look(speed, id, 2)).isEqualTo(", 1.0/s, 2 s left");
  }

  @Test
  void theSpeedOfAServerIsWhatItsTasksGenerateNow() {
    submit("{\"type\": \"generate\", \"tasks\": [\"a\", \"b\"]}");
    Workspace workspace = Workspace.open(ws);
    workspace.announce(JsonObject.create());
    String pid = "pid " + ProcessHandle.current().pid() + ", ";
    assertThat(status(() -> {})).isEqualTo(pid + "0 tasks running");
    List<Claim> claims = List.of(begin(), begin());
    generate(claims.getFirst(), 1_000);
    assertThat(status(() -> {})).isEqualTo(pid + "2 tasks running");
    assertThat(
            status(
                () -> {
                  generate(claims.getFirst(), 5);
                  complete(claims.getLast(), 15);
                }))
        .isEqualTo(pid + "2 tasks running, 40.0 tokens/s");
    complete(claims.getFirst(), 1_005);
    assertThat(status(() -> {})).as("idle").isEqualTo(pid + "0 tasks running");
  }

  /** Half a second passes in which {@code meanwhile} happens. */
  private String status(Runnable meanwhile) {
    LocalWorkspace place = new LocalWorkspace("ws", Workspace.open(ws));
    return new ServerStatusLine(
            place,
            () -> now,
            () -> {
              now += Duration.ofMillis(500).toNanos();
              meanwhile.run();
            })
        .text();
  }

  @Test
  void theBarOfAStageThatHasNotOpenedIsEmpty() {
    String id =
        submit(
            "{\"type\": \"generate\", \"tasks\": [\"a\", \"b\"]},"
                + " {\"type\": \"generate\", \"each\": \"{{result}}\"},"
                + " {\"type\": \"generate\", \"tasks\": [\"c\"]}");
    try (var flow = followOnTerminal(id)) {
      store.complete(claim(), TaskResult.of("x"));
      String empty = "[" + "░".repeat(24) + "]";
      flow.awaitErr("1 generate [████████████░░░░░░░░░░░░]  1/2")
          .awaitErr("2 generate " + empty + "\n3 generate " + empty + "  0/1");
      store.abort(new JobId(id), ME);
      assertThat(flow.result().status()).isEqualTo(1);
      String last = flow.err().substring(flow.err().lastIndexOf("\033[J"));
      assertThat(last).contains("2 generate " + empty, "3 generate " + empty + "  0/1");
    }
  }
}
