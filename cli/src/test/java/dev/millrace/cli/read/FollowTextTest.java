package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code flow -f} on a single task whose worker is this test, piece by piece. */
@Timeout(60)
class FollowTextTest {
  private static final ClaimRequest DEMAND = new ClaimRequest(Set.of("generate"), 1, "test", null);

  @TempDir Path dir;
  private InProcessCli cli;
  private JobStore store;

  @BeforeEach
  void open() {
    cli = new InProcessCli(dir);
    store = own();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private JobStore own() {
    return Workspace.open(dir.resolve("ws")).own().orElseThrow();
  }

  private Claim claim() {
    org.awaitility.Awaitility.await()
        .pollInterval(java.time.Duration.ofMillis(5))
        .until(() -> !store.isIdle(Set.of("generate")));
    long seen = 0;
    for (int tries = 0; tries < 1_000; tries++) {
      List<Claim> claims = store.claim(DEMAND);
      if (!claims.isEmpty()) {
        return claims.getFirst();
      }
      try {
        seen = store.awaitWork(seen, java.time.Duration.ofMillis(20));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    throw new AssertionError("nothing to claim");
  }

  private void piece(Claim claim, String text) {
    store.appendJournal(claim, new OutputChunk(List.of(1), text));
  }

  private Claim begun() {
    Claim claim = claim();
    store.freeze(claim, JsonObject.create().put("seed", 1));
    return claim;
  }

  @Test
  void textIsPrintedAsItIsGeneratedAndIsTheResultInTheEnd() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "Once ");
    flow.awaitOut("Once ");
    piece(claim, "upön");
    flow.awaitOut("Once upön");
    piece(claim, " a\n\ntime");
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
  void whoComesLateSeesItFromTheBeginning() {
    String id = cli.submit("ws", "x");
    Claim claim = begun();
    piece(claim, "one ");
    piece(claim, "two ");
    BackgroundCommand flow =
        BackgroundCommand.start(dir, "flow", "ws", id, "-f").awaitOut("one two ");
    store.complete(claim, TaskResult.of("one two three\n"));
    assertThat(flow.result().out()).isEqualTo("one two three\n");
  }

  @Test
  void aPauseAndAnotherServerLeaveNoTrace() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "one ");
    flow.awaitOut("one ");
    store.pause(new JobId(id), Cause.user("me", null));
    store.release(claim, "paused");
    store.resume(new JobId(id), Cause.user("me", null));
    claim = claim();
    assertThat(claim.journaledTokens()).containsExactly(1);
    piece(claim, "two ");
    flow.awaitOut("one two ");
    store.close(); // as a server that dies
    store = own();
    claim = claim();
    assertThat(claim.journaledTokens()).containsExactly(1, 1);
    piece(claim, "three");
    flow.awaitOut("one two three");
    store.complete(claim, TaskResult.of("one two three"));
    assertThat(flow.result().out()).isEqualTo("one two three\n");
  }

  @Test
  void theSameTextMadeOnceMoreIsNotPrintedTwice() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "one two ");
    flow.awaitOut("one two ");
    store.release(claim, "stopping");
    claim = claim();
    store.freeze(claim, JsonObject.create().put("seed", 1)); // drops what was journaled
    piece(claim, "one ");
    piece(claim, "two three ");
    flow.awaitOut("one two three ");
    store.complete(claim, TaskResult.of("one two three four"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("one two three four\n");
    assertThat(result.err()).doesNotContain("counts no more");
  }

  @Test
  void anotherTextIsSaidToBeOne() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "one two");
    flow.awaitOut("one two");
    store.release(claim, "stopping");
    claim = claim();
    store.freeze(claim, JsonObject.create().put("seed", 2));
    piece(claim, "eins ");
    flow.awaitOut("one two\neins ").awaitErr("-- the text above counts no more");
    store.complete(claim, TaskResult.of("eins zwei"));
    assertThat(flow.result().out()).isEqualTo("one two\neins zwei\n");
  }

  @Test
  void thoughtsAreShownAndThenTheResult() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "<think>hm</think>");
    flow.awaitOut("<think>hm</think>");
    store.complete(claim, TaskResult.of("42"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("<think>hm</think>\n42\n");
    assertThat(result.err()).contains("-- the text above counts no more");
  }

  @Test
  void aFailureEndsTheLineAndTellsTheError() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "half");
    flow.awaitOut("half");
    store.fail(claim, new Failure("no luck", false, "half"));
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("half\n");
    assertThat(result.err())
        .contains("Job failed: " + id + "\nError: no luck\nPartial output: ")
        .endsWith("/response.txt\n");
  }

  @Test
  void theReasonOfAFailureIsNotSaidByEveryLevel() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    store.fail(begun(), new Failure("no luck", false, "half"));
    assertThat(flow.result().err().split("no luck", -1)).as("twice").hasSize(3);
  }

  @Test
  void aSingleTaskAtItsGateSaysWhatLetsItPass() {
    String job = "{\"stages\":[{\"type\":\"generate\",\"gate\":true,\"tasks\":[\"x\"]}]}";
    String id = cli.stdin(job).submit("ws", "--job", "-");
    BackgroundCommand flow =
        BackgroundCommand.start(dir, "flow", "ws", id, "-f")
            .awaitErr("stage 1 waits: millrace approve ws " + id + " 1\n");
    store.approve(new JobId(id), 1, Cause.user("me", null));
    store.complete(claim(), TaskResult.of("X"));
    assertThat(flow.result().out()).isEqualTo("X\n");
  }

  @Test
  void whatThereIsSoFarIsPartOfTheJob() {
    String id = cli.submit("ws", "x");
    Claim claim = begun();
    piece(claim, "one ");
    piece(claim, "two ");
    store.pause(new JobId(id), Cause.user("me", null));
    store.release(claim, "paused");
    assertThat(Json.object(cli.run("flow", "ws", id, "--json").out()).get("partial"))
        .isEqualTo("one two ");
  }

  @Test
  void cancellingEndsIt() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f");
    Claim claim = begun();
    piece(claim, "half\n");
    flow.awaitOut("half\n");
    store.abort(new JobId(id), Cause.user("me", "enough"));
    InProcessCli.Result result = flow.result();
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("half\n");
    assertThat(result.err()).contains("Job cancelled: " + id, "\nPartial output: ");
  }

  @Test
  void aTerminalIsToldHowItStandsAndSeesNoLog() {
    cli.submit("ws", "first");
    String id = cli.submit("ws", "x");
    BackgroundCommand flow =
        BackgroundCommand.onTerminal(dir, "flow", "ws", id, "-f").awaitErr("2nd of 2");
    assertThat(flow.out()).isEmpty();
    store.complete(claim(), TaskResult.of("FIRST"));
    flow.awaitErr("1st of 1");
    Claim claim = begun();
    flow.awaitErr("running ");
    piece(claim, "a b");
    flow.awaitOut("a b");
    assertThat(flow.err()).endsWith("\r\033[J");
    store.pause(new JobId(id), Cause.user("me", null));
    flow.awaitErr("paused; let it go on with: millrace resume ws " + id);
    store.resume(new JobId(id), Cause.user("me", null));
    store.complete(claim, TaskResult.of("a b c"));
    InProcessCli.Result result = flow.result();
    assertThat(result.out()).isEqualTo("a b c\n");
    assertThat(result.err()).contains("job pause by me").doesNotContain("claim by");
  }

  @Test
  void withoutAServerThatIsWhatIsSaid() {
    String id = cli.submit("ws", "x");
    store.close();
    BackgroundCommand flow =
        BackgroundCommand.onTerminal(dir, "flow", "ws", id, "-f").awaitErr("no server works on ws");
    store = own();
    store.complete(claim(), TaskResult.of("X"));
    assertThat(flow.result().out()).isEqualTo("X\n");
    String waits = cli.submit("ws", "y");
    assertThat(cli.run("flow", "ws", waits).err())
        .startsWith("Job not ready: " + waits + " (status: QUEUED)\n1st of 1, starts in about ");
  }

  @Test
  void asJsonPiecesComeBetweenTheEvents() {
    String id = cli.submit("ws", "x");
    BackgroundCommand flow = BackgroundCommand.start(dir, "flow", "ws", id, "-f", "--json");
    Claim claim = begun();
    piece(claim, "one ");
    org.awaitility.Awaitility.await().until(() -> flow.out().contains("\"one \""));
    store.release(claim, "stopping");
    claim = claim();
    store.freeze(claim, JsonObject.create().put("seed", 2));
    piece(claim, "two ");
    org.awaitility.Awaitility.await().until(() -> flow.out().contains("\"two \""));
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
  void theStatusTellsWhatTheServerDoes() {
    cli.submit("ws", "x");
    cli.submit("ws", "y");
    assertThat(cli.run("flow", "ws").out()).doesNotContain("server:");
    Workspace.open(dir.resolve("ws")).announce(JsonObject.create());
    Claim first = claim();
    assertThat(cli.run("flow", "ws").out())
        .contains("\nserver:     pid " + ProcessHandle.current().pid() + ", 1 task running\n");
    store.complete(
        first,
        TaskResult.of("X").withReceipt(JsonObject.create().put("completion_tokens", 1_000_000)));
    assertThat(cli.run("flow", "ws").out()).containsPattern(", 0 tasks running, [0-9]+ tokens/s\n");
  }
}
