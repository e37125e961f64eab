package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@code flow} on single prompts: nrvna's contract. */
class FlowCommandTest extends CommandFixture {
  private JsonObject json(String... args) {
    return Json.object(cli.run(args).out());
  }

  @Test
  void anEmptyWorkspaceGivesAHint() {
    cli.submit("ws", "x", "--hold");
    InProcessCli.Result result = cli.run("flow", "ws");
    assertThat(result.status()).isZero();
    assertThat(result.out())
        .startsWith("queued:     0\nrunning:    0\ndone:       0\nfailed:     0\npaused:     1\n");
    assertThat(result.out()).contains("recent:\n  [paused]");
  }

  @Test
  void aNewWorkspaceSaysHowToSubmit() throws IOException {
    Workspace.open(ws);
    assertThat(cli.run("flow", "ws").out())
        .endsWith("no jobs yet: submit one with  millrace work ws 'your prompt'\n");
    assertThat(cli.run("flow", "ws", "--json").out())
        .isEqualTo("{\"queued\":0,\"running\":0,\"done\":0,\"failed\":0}\n");
  }

  @Test
  void countsAndRecentJobs() {
    for (int i = 0; i < 7; i++) {
      cli.submit("ws", "p" + i);
    }
    InProcessCli.workAll(ws);
    String last = cli.submit("ws", "waits");
    InProcessCli.Result result = cli.run("flow", "ws");
    assertThat(result.out())
        .startsWith("queued:     1\nrunning:    0\ndone:       7\nfailed:     0\n");
    assertThat(result.lines()).hasSize(4 + 2 + 5);
    assertThat(result.lines().get(6)).isEqualTo("  [queued]         " + last);
    assertThat(result.lines().get(7)).matches("  \\[done] +[0-9]+\\.[0-9]s  [0-9_]+");
    assertThat(cli.run("flow", "ws", "--json").out())
        .isEqualTo("{\"queued\":1,\"running\":0,\"done\":7,\"failed\":0}\n");
  }

  @Test
  void aQueuedJobIsNotReady() {
    String id = cli.submit("ws", "x");
    InProcessCli.Result result = cli.run("flow", "ws", id);
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            "Job not ready: "
                + id
                + " (status: QUEUED)\nwaits as 1st of 1; no server works on ws\n"
                + "no server is running: \"millrace serve --workspace ws --model house\" starts"
                + " one\n");
    assertThat(cli.run("flow", "ws", id, "--json").status()).isEqualTo(2);
    assertThat(json("flow", "ws", id, "--json").get("status")).isEqualTo("queued");
  }

  /** As a server does with the tasks of its models when it stops. */
  @Test
  void aTaskThatWasGivenBackNeitherRunsNorWasRetried() {
    String id = cli.submit("ws", "x");
    try (JobStore store = Workspace.open(ws).own().orElseThrow()) {
      Claim claim = store.claim(new ClaimRequest(Set.of("generate"), 1, "test", null)).getFirst();
      assertThat(cli.run("flow", "ws").out()).contains("running:    1\n", "[running]");
      assertThat(cli.run("job", "ws", id).out()).contains("IN_PROGRESS (running)");
      store.release(claim, "shutdown");
    }
    InProcessCli.Result all = cli.run("flow", "ws");
    assertThat(all.out())
        .startsWith("queued:     1\nrunning:    0\n")
        .contains("[queued]")
        .doesNotContain("[running]");
    assertThat(cli.run("flow", "ws", "--json").out()).startsWith("{\"queued\":1,\"running\":0,");
    assertThat(cli.run("flow", "ws", id).err()).contains("(status: QUEUED)");
    assertThat(json("flow", "ws", id, "--json").get("status")).isEqualTo("queued");
    assertThat(json("job", "ws", id, "--json").get("status")).isEqualTo("queued");
    assertThat(cli.run("flow", "ws", id, "--tasks").out()).contains("PENDING");
    String details = cli.run("job", "ws", id).out();
    String shown = details.substring(0, details.indexOf("last events"));
    assertThat(shown).contains("(queued)").doesNotContainIgnoringCase("running", "retried");
  }

  @Test
  void aPausedJobIsNotReadyAndAnAbortedOneFailed() {
    String id = cli.submit("ws", "x", "--hold");
    assertThat(cli.run("flow", "ws", id).status()).isEqualTo(2);
    assertThat(json("flow", "ws", id, "--json").get("status")).isEqualTo("paused");
    cli.run("abort", "ws", id);
    InProcessCli.Result result = cli.run("flow", "ws", id);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Job cancelled: " + id);
    assertThat(json("flow", "ws", id, "--json").get("status")).isEqualTo("cancelled");
  }

  @Test
  void aResultIsPrintedAsItIsWithItsNewline() {
    String plain = cli.submit("ws", "plain");
    String lines = cli.submit("ws", "lines");
    InProcessCli.work(ws, claim -> claim.inputText().equals("lines") ? "a\nb\n" : "é\tx");
    assertThat(cli.run("flow", "ws", plain).out()).isEqualTo("é\tx\n");
    assertThat(cli.run("flow", "ws", lines).out()).isEqualTo("a\nb\n");
    assertThat(cli.run("flow", "ws", lines).status()).isZero();
  }

  @Test
  void aDoneJobAsJson() {
    String parent = cli.submit("ws", "p");
    String id = cli.submit("ws", "x", "--tag", "t", "--parent", parent);
    InProcessCli.workAll(ws);
    JsonObject job = json("flow", "ws", id, "--json");
    assertThat(job.values())
        .containsEntry("id", id)
        .containsEntry("status", "done")
        .containsEntry("mode", "text")
        .containsEntry("parent", parent)
        .containsEntry("tags", java.util.List.of("t"))
        .containsEntry("artifacts", java.util.List.of("result.txt"))
        .containsEntry("artifact_kind", "result")
        .containsEntry("artifact_path", ws.resolve("output/" + id + "/result.txt").toString())
        .containsEntry("result", "X")
        .containsKeys("submitted_at", "completed_at", "duration_s")
        .doesNotContainKeys("stages", "error");
  }

  @Test
  void aFailedJobPrintsItsError() {
    String id = cli.submit("ws", "x");
    InProcessCli.work(ws, claim -> new Failure("no luck", false, "half"));
    InProcessCli.Result result = cli.run("flow", "ws", id);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            "Job failed: "
                + id
                + "\nError: no luck\nPartial output: "
                + ws.resolve("failed/" + id + "/response.txt")
                + "\n");
    assertThat(cli.run("flow", "ws", id, "--json").status()).isEqualTo(1);
    assertThat(json("flow", "ws", id, "--json").values())
        .containsEntry("status", "failed")
        .containsEntry("error", "no luck")
        .containsEntry("partial", "half");
  }

  @Test
  void anEmbeddingIsAnObject() {
    String id = cli.submit("ws", "x", "--embed");
    InProcessCli.work(
        ws,
        claim ->
            new TaskResult(TaskResult.Kind.EMBEDDING, "{\n \"dim\": 1,\n \"vector\": [1.0]\n}\n"));
    assertThat(cli.run("flow", "ws", id).out())
        .isEqualTo("{\n \"dim\": 1,\n \"vector\": [1.0]\n}\n");
    JsonObject job = json("flow", "ws", id, "--json");
    assertThat(job.get("artifact_kind")).isEqualTo("embedding");
    assertThat(job.object("embedding").integer("dim")).isEqualTo(1);
    assertThat(cli.run("flow", "ws", id, "--json").lines()).hasSize(1);
  }

  @Test
  void aMissingJobIsReported() {
    cli.submit("ws", "x");
    InProcessCli.Result result = cli.run("flow", "ws", "1736700000_12345_0");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).isEqualTo("Job not found: 1736700000_12345_0\n");
    InProcessCli.Result json = cli.run("flow", "ws", "1736700000_12345_0", "--json");
    assertThat(json.status()).isEqualTo(1);
    assertThat(Json.object(json.out()).get("status")).isEqualTo("missing");
  }

  @Test
  void resultsOfAnotherDaemonAreRead() throws IOException {
    cli.submit("ws", "x");
    Path speech = Files.createDirectories(ws.resolve("output/1736700000_1_0"));
    Files.writeString(speech.resolve("prompt.txt"), "say it");
    Files.write(speech.resolve("audio.wav"), new byte[44]);
    Path heard = Files.createDirectories(ws.resolve("output/1736700000_1_1"));
    Files.writeString(heard.resolve("prompt.txt"), "write it");
    Files.writeString(heard.resolve("transcript.txt"), "words\n");
    assertThat(cli.run("flow", "ws", "1736700000_1_0").out())
        .isEqualTo(speech.resolve("audio.wav") + "\n");
    assertThat(cli.run("flow", "ws", "1736700000_1_1").out()).isEqualTo("words\n");
    assertThat(json("flow", "ws", "1736700000_1_0", "--json").get("audio_path"))
        .isEqualTo(speech.resolve("audio.wav").toString());
    assertThat(json("flow", "ws", "1736700000_1_1", "--json").get("transcript"))
        .isEqualTo("words\n");
  }

  @Test
  void wrongArgumentsAreRejected() {
    String id = cli.submit("ws", "x");
    refused("job ID cannot be combined with --tag", "ws", id, "--tag", "t");
    refused("job ID cannot be combined with --tag or --children", "ws", id, "--children", id);
    refused("use -W, not -w", "ws", "-w", "--tag", "t");
    refused("only one job ID may be provided", "ws", id, id);
    refused("unknown option: --jason", "ws", "--jason");
    refused("No job ID received on stdin", "ws", "-w");
    refused("-W waits for many", "ws", id, "-W");
    refused("--stage is for one job", "ws", "--stage", "1");
    refused("--tasks is for one job", "ws", "--tasks");
    refused("no stage 2: job " + id + " has 1", "ws", id, "--stage", "2");
    refused("no workspace in none: no such directory", "none");
    refused("Invalid job ID: ../etc", "ws", "../etc");
    refused("Invalid tag", "ws", "--tag", "a b");
    refused("Invalid job ID", "ws", "--children", "x");
    refused("\"ftp://\" is not supported", "ftp://x/");
    refused("no workspace: name its directory");
  }

  private void refused(String message, String... words) {
    String[] args = new String[words.length + 1];
    args[0] = "flow";
    System.arraycopy(words, 0, args, 1, words.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).as(result.toString()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains(message);
  }

  @Test
  void waitTakesTheIdFromStdin() {
    String id = cli.submit("ws", "x");
    InProcessCli.workAll(ws);
    assertThat(cli.stdin("  " + id + "\nrest").run("flow", "ws", "-w").out()).isEqualTo("X\n");
    assertThat(cli.run("flow", "ws", id, "-w").out()).isEqualTo("X\n");
    assertThat(cli.stdin("x".repeat(100_000)).run("flow", "ws", "-w").err())
        .contains("Invalid job ID");
  }

  /** The id of a job that was submitted over HTTP. */
  @Test
  void uuidNamesTheJob() {
    String id = cli.submit("ws", "x");
    InProcessCli.workAll(ws);
    String uuid = EntityId.of(new JobId(id)).toString();
    assertThat(cli.run("flow", "ws", uuid).out()).isEqualTo("X\n");
    assertThat(cli.run("job", "ws", uuid, "--json").out()).contains(id).contains(uuid);
    assertThat(cli.run("abort", "--workspace", "ws", uuid).err()).contains(id);
    refused("names stage 1 of a job", "ws", new EntityId(new JobId(id), 1, 2).toString());
  }

  @Test
  void aWaitEndsAtItsTimeout() {
    String id = cli.submit("ws", "x", "--tag", "t");
    for (String time : new String[] {"0s", "0", "10ms"}) {
      InProcessCli.Result one = cli.run("flow", "ws", id, "-w", "--timeout", time);
      assertThat(one.status()).isEqualTo(2);
      assertThat(one.out()).isEmpty();
      assertThat(one.err())
          .startsWith("gave up waiting: the job is not finished\nJob not ready: " + id);
    }
    InProcessCli.Result followed = cli.run("flow", "ws", id, "-f", "--timeout", "0");
    assertThat(followed.status()).isEqualTo(2);
    assertThat(followed.err()).contains("gave up waiting");
    InProcessCli.Result idle = cli.run("flow", "ws", "-W", "--timeout", "0");
    assertThat(idle.status()).isEqualTo(2);
    assertThat(idle.err()).contains("gave up waiting: 1 queued, 0 running");
    InProcessCli.Result set = cli.run("flow", "ws", "-W", "--tag", "t", "--timeout", "0");
    assertThat(set.status()).isEqualTo(2);
    assertThat(set.err()).contains("gave up waiting: 1 job is not finished");
    InProcessCli.workAll(ws);
    assertThat(cli.run("flow", "ws", id, "-w", "--timeout", "0").out()).isEqualTo("X\n");
    assertThat(cli.run("flow", "ws", "-W", "--timeout", "0").status()).isZero();
    assertThat(cli.run("flow", "ws", id, "--timeout", "1").err())
        .contains("--timeout goes with -w, -W or -f");
    assertThat(cli.run("flow", "ws", id, "-w", "--timeout", "soon").err())
        .contains("--timeout: \"soon\" is not a duration");
  }

  @Test
  void aWorkspaceWithWorkButNoServerSaysHowToStartOne() {
    String id = cli.submit("ws", "x");
    String hint =
        "no server is running: \"millrace serve --workspace ws --model house\" starts one\n";
    assertThat(cli.run("flow", "ws").err()).isEqualTo(hint);
    assertThat(cli.run("flow", "ws").out()).doesNotContain("no server");
    assertThat(cli.run("flow", "ws", "-W", "--timeout", "0.").status()).isEqualTo(1);
    assertThat(cli.run("flow", "ws", "--json").err()).isEmpty();
    cli.run("pause", "ws", id);
    assertThat(cli.run("flow", "ws").err()).isEmpty();
    assertThat(cli.run("flow", "ws", id).err()).doesNotContain("no server");
  }
}
