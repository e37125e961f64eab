package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code flow -f} on a single task whose worker is this test, piece by piece. */
class FollowTextTest extends FollowFixture {
  private String id;
  private BackgroundCommand flow;

  /** Submits a prompt and follows it until its first text is shown. */
  private Claim followed(String text) {
    id = cli.submit("ws", "x");
    flow = follow(id);
    Claim claim = begin();
    append(claim, text);
    flow.awaitOut(text);
    return claim;
  }

  @Test
  void textIsPrintedWhileItIsGeneratedAndEndsAsTheResult() {
    Claim claim = followed("Once ");
    append(claim, "upön");
    flow.awaitOut("Once upön");
    append(claim, " a\n\ntime");
    flow.awaitOut("Once upön a\n\ntime");
    store.complete(claim, TaskResult.of("Once upön a\n\ntime."));
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isZero();
    assertThat(result.out()).isEqualTo("Once upön a\n\ntime.\n");
    assertThat(result.err()).contains("task 1/1 claim by test", "job complete");
    assertThat(cli.run("flow", "ws", id).out()).isEqualTo(result.out());
    assertThat(cli.run("flow", "ws", id, "-f").out()).isEqualTo(result.out());
  }

  @Test
  void aLateFollowerGetsTheWholeText() {
    id = cli.submit("ws", "x");
    Claim claim = begin();
    append(claim, "one ");
    append(claim, "two ");
    flow = follow(id).awaitOut("one two ");
    store.complete(claim, TaskResult.of("one two three\n"));
    assertThat(flow.result().out()).isEqualTo("one two three\n");
  }

  @Test
  void aPauseAndAnotherServerLeaveNoTrace() {
    Claim claim = followed("one ");
    pause(id);
    store.release(claim, "paused");
    resume(id);
    claim = claim();
    assertThat(claim.journaledTokens()).containsExactly(1);
    append(claim, "two ");
    flow.awaitOut("one two ");
    store.close(); // like a server that dies
    store = own();
    claim = claim();
    assertThat(claim.journaledTokens()).containsExactly(1, 1);
    append(claim, "three");
    flow.awaitOut("one two three");
    store.complete(claim, TaskResult.of("one two three"));
    assertThat(flow.result().out()).isEqualTo("one two three\n");
  }

  @Test
  void theSameTextGeneratedAgainIsNotPrintedTwice() {
    Claim claim = followed("one two ");
    store.release(claim, "stopping");
    claim = begin(); // drops what was journaled
    append(claim, "one ");
    append(claim, "two three ");
    flow.awaitOut("one two three ");
    store.complete(claim, TaskResult.of("one two three four"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("one two three four\n");
    assertThat(result.err()).doesNotContain("discard the text");
  }

  @Test
  void aDifferentTextIsMarked() {
    Claim claim = followed("one two");
    store.release(claim, "stopping");
    claim = begin(2);
    append(claim, "eins ");
    flow.awaitOut("one two\neins ").awaitErr("-- discard the text above");
    store.complete(claim, TaskResult.of("eins zwei"));
    assertThat(flow.result().out()).isEqualTo("one two\neins zwei\n");
  }

  @Test
  void thoughtsAreShownAndThenTheResult() {
    Claim claim = followed("<think>hm</think>");
    store.complete(claim, TaskResult.of("42"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("<think>hm</think>\n42\n");
    assertThat(result.err()).contains("-- discard the text above");
  }

  @Test
  void aFailureEndsTheLineAndPrintsTheError() {
    Claim claim = followed("half");
    store.fail(claim, new Failure("no luck", false, "half"));
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("half\n");
    assertThat(result.err())
        .contains("Job failed: " + id + "\nError: no luck\nPartial output: ")
        .endsWith("/response.txt\n");
  }

  @Test
  void theReasonOfAFailureIsNotRepeatedByEveryLevel() {
    id = cli.submit("ws", "x");
    flow = follow(id);
    store.fail(begin(), new Failure("no luck", false, "half"));
    assertThat(flow.result().err().split("no luck", -1)).as("twice").hasSize(3);
  }

  @Test
  void aSingleTaskAtItsGateShowsTheCommandToApproveIt() {
    String job = "{\"stages\":[{\"type\":\"generate\",\"gate\":true,\"tasks\":[\"x\"]}]}";
    id = cli.stdin(job).submit("ws", "--job", "-");
    flow = follow(id).awaitErr("stage 1 waits: millrace approve ws " + id + " 1\n");
    approve(id, 1);
    store.complete(claim(), TaskResult.of("X"));
    assertThat(flow.result().out()).isEqualTo("X\n");
  }

  @Test
  void theTextSoFarIsPartOfTheJsonObject() {
    id = cli.submit("ws", "x");
    Claim claim = begin();
    append(claim, "one ");
    append(claim, "two ");
    pause(id);
    store.release(claim, "paused");
    assertThat(Json.object(cli.run("flow", "ws", id, "--json").out()).get("partial"))
        .isEqualTo("one two ");
  }

  @Test
  void cancellingEndsTheFollowing() {
    Claim claim = followed("half\n");
    store.abort(new JobId(id), Cause.user("me", "enough"));
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("half\n");
    assertThat(result.err()).contains("Job cancelled: " + id, "\nPartial output: ");
  }

  @Test
  void aTerminalShowsTheStatusInsteadOfTheLog() {
    cli.submit("ws", "first");
    id = cli.submit("ws", "x");
    flow = followOnTerminal(id).awaitErr("2nd of 2");
    assertThat(flow.out()).isEmpty();
    store.complete(claim(), TaskResult.of("FIRST"));
    flow.awaitErr("1st of 1");
    Claim claim = begin();
    flow.awaitErr("running ");
    append(claim, "a b");
    flow.awaitOut("a b");
    assertThat(flow.err()).endsWith("\r\033[J");
    pause(id);
    flow.awaitErr("paused; resume with: millrace resume ws " + id);
    resume(id);
    store.complete(claim, TaskResult.of("a b c"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("a b c\n");
    assertThat(result.err()).contains("job pause by me").doesNotContain("claim by");
  }

  @Test
  void aMissingServerIsReported() {
    id = cli.submit("ws", "x");
    store.close();
    flow = followOnTerminal(id).awaitErr("no server works on ws");
    store = own();
    store.complete(claim(), TaskResult.of("X"));
    assertThat(flow.result().out()).isEqualTo("X\n");
    String waits = cli.submit("ws", "y");
    assertThat(cli.run("flow", "ws", waits).err())
        .startsWith("Job not ready: " + waits + " (status: QUEUED)\n1st of 1, starts in about ");
  }

  @Test
  void asJsonPiecesOfTextComeBetweenTheEvents() {
    id = cli.submit("ws", "x");
    flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f", "--json");
    Claim claim = begin();
    append(claim, "one ");
    await().until(() -> flow.out().contains("\"one \""));
    store.release(claim, "stopping");
    claim = begin(2);
    append(claim, "two ");
    await().until(() -> flow.out().contains("\"two \""));
    store.complete(claim, TaskResult.of("two three"));
    List<JsonObject> lines = flow.result().lines().stream().map(Json::object).toList();
    assertThat(lines.stream().filter(line -> line.has("text") || line.has("anew")).map(Json::write))
        .containsExactly(
            "{\"stage\":1,\"task\":1,\"text\":\"one \"}",
            "{\"stage\":1,\"task\":1,\"anew\":true}",
            "{\"stage\":1,\"task\":1,\"text\":\"two \"}",
            "{\"stage\":1,\"task\":1,\"text\":\"three\"}");
    assertThat(lines.getFirst().get("event")).isEqualTo("submit");
    assertThat(lines.getLast().get("result")).isEqualTo("two three");
    assertThat(lines.stream().filter(line -> line.has("n"))).hasSizeGreaterThan(4);
  }

  @Test
  void theStatusDescribesTheServer() {
    cli.submit("ws", "x");
    cli.submit("ws", "y");
    assertThat(cli.run("flow", "ws").out()).doesNotContain("server:");
    Workspace.open(ws).announce(JsonObject.create());
    Claim first = claim();
    assertThat(cli.run("flow", "ws").out())
        .contains("\nserver:     pid " + ProcessHandle.current().pid() + ", 1 task running\n");
    store.complete(
        first,
        TaskResult.of("X").withReceipt(JsonObject.create().put("completion_tokens", 1_000_000)));
    assertThat(cli.run("flow", "ws").out()).contains(", 0 tasks running\n");
  }
}
