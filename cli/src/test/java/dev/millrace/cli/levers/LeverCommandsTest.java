package dev.millrace.cli.levers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.Workspace;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** {@code pause}, {@code resume}, {@code abort}, {@code retry}, {@code prune}. */
class LeverCommandsTest extends CommandFixture {
  private JobReader reader() {
    return Workspace.open(ws).reader();
  }

  private JobState state(String id) {
    return reader().state(InProcessCli.id(id)).orElseThrow();
  }

  @Test
  void leversChangeTheStateOfJobs() {
    String one = cli.submit("ws", "1");
    String two = cli.submit("ws", "2");
    assertThat(cli.run("pause", "ws", one, two))
        .isEqualTo(new InProcessCli.Result(0, one + " paused\n" + two + " paused\n", ""));
    assertThat(state(one)).isEqualTo(JobState.PAUSED);
    assertThat(cli.run("resume", "ws", one))
        .isEqualTo(new InProcessCli.Result(0, one + " resumed\n", ""));
    assertThat(state(one)).isEqualTo(JobState.PENDING);
    assertThat(cli.run("abort", "ws", two, "--comment", "why not").status()).isZero();
    assertThat(state(two)).isEqualTo(JobState.ABORTED);
    assertThat(cli.run("job", "ws", two, "--events").out())
        .contains("\"who\":\"" + System.getProperty("user.name") + "\"", "\"comment\":\"why not\"");
  }

  @Test
  void aRejectionNamesTheLegalLeversAndTheOtherJobsAreChanged() {
    String done = cli.submit("ws", "1");
    InProcessCli.workAll(ws);
    String queued = cli.submit("ws", "2");
    InProcessCli.Result result = cli.run("pause", "ws", done, "1736700000_1_0", queued);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out()).isEqualTo(queued + " paused\n");
    assertThat(result.err())
        .isEqualTo(
            "Error: %s: the job has ended; it is COMPLETED; \"millrace retry ws %s\" runs it again as a new job\n"
                    .formatted(done, done)
                + "Error: 1736700000_1_0: no such job in ws; \"millrace jobs ws\" lists all"
                + " jobs\n");
    InProcessCli.Result json = cli.run("resume", "ws", done, queued, "--json");
    assertThat(json.status()).isEqualTo(1);
    assertThat(json.out()).isEqualTo("{\"id\":\"" + queued + "\",\"answer\":\"resumed\"}\n");
    assertThat(Json.object(json.err()).object("error").values())
        .containsEntry("code", "refused")
        .containsEntry("id", done)
        .containsEntry("hint", "millrace retry ws " + done);
  }

  @Test
  void argumentsAreChecked() {
    String id = cli.submit("ws", "1");
    assertThat(cli.run("pause", "ws").status()).isEqualTo(2);
    assertThat(cli.run("abort", "ws", id, "../x").status()).isEqualTo(2);
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    InProcessCli.Result wordy = cli.run("pause", "ws", id, "--comment", "c".repeat(10_001));
    assertThat(wordy.status()).isEqualTo(2);
    assertThat(wordy.err()).contains("--comment too long: 10001 characters, at most 10000");
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    assertThat(cli.run("approve", "ws", id).err()).contains("no stage: give its number");
    assertThat(cli.run("approve", "ws", id, "x").status()).isEqualTo(2);
    assertThat(cli.run("approve", "ws", id, "1", "2").status()).isEqualTo(2);
    assertThat(cli.run("approve", "ws", id, "9").err())
        .contains("there is no stage 9; the job has 1 stage;");
    assertThat(cli.run("approve", "ws", id, "1").err())
        .contains(": stage 1 is not at a gate; it is PENDING;");
  }

  /** A refusal says what is not the case and what is, and names no event of a table. */
  @Test
  void refusalsSpeakInCommands() {
    String id = cli.submit("ws", "1");
    refused("the job is not paused; it is PENDING", "resume", id);
    cli.run("pause", "ws", id);
    refused("the job is paused already; \"millrace resume ws " + id + "\" resumes it", "pause", id);
    refused("stage 1 is not at a gate; it is PENDING", "approve", id, "1");
    cli.run("abort", "ws", id);
    refused("the job has ended; it is ABORTED\n", "abort", id);
    refused("the job has ended; it is ABORTED; \"millrace retry ws " + id + "\" ", "resume", id);
    refused("stage 1 is not at a gate; it is ABORTED", "approve", id, "1");
    String gated =
        cli.stdin(
                """
                {"stages": [{"type": "generate", "gate": true, "tasks": ["a"]},
                            {"type": "generate", "gate": true, "each": "{{result}}"}]}
                """)
            .submit("ws", "--job", "-");
    String approval = "; \"millrace approve ws " + gated + " 1\" approves stage 1, which waits";
    refused("the job is not paused; it is PENDING" + approval, "resume", gated);
    refused("stage 2 cannot be approved yet; stage 1 is WAITING" + approval, "approve", gated, "2");
    refused("there is no stage 3; the job has 2 stages" + approval, "approve", gated, "3");
  }

  private void refused(String message, String command, String... words) {
    String[] args = new String[words.length + 2];
    args[0] = command;
    args[1] = "ws";
    System.arraycopy(words, 0, args, 2, words.length);
    InProcessCli.Result result = cli.run(args);
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: " + words[0] + ": " + message);
  }

  @Test
  void aRetryIsANewJobThatNamesTheOldOne() {
    String old = cli.submit("ws", "again", "--tag", "t", "--name", "n", "--attempts", "2");
    InProcessCli.Result early = cli.run("retry", "ws", old);
    assertThat(early.status()).isEqualTo(1);
    assertThat(early.err()).contains("job is PENDING; only a finished job can be run again");
    cli.run("abort", "ws", old);
    InProcessCli.Result result = cli.run("retry", "ws", old);
    assertThat(result.status()).isZero();
    var spec = reader().spec(InProcessCli.id(result.line())).orElseThrow();
    assertThat(spec.retryOf()).isEqualTo(InProcessCli.id(old));
    assertThat(spec.tags()).containsExactly("t");
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.stages().getFirst().policy().maxAttempts()).isEqualTo(2);
    assertThat(spec.stages().getFirst().tasks().getFirst().input()).isEqualTo("again");
    assertThat(cli.run("retry", "ws", "1736700000_1_0").err()).contains("no such job");
    assertThat(Json.object(cli.run("retry", "ws", old, "--json").out()).get("retry_of"))
        .isEqualTo(old);
  }

  @Test
  void aRetryAdoptsWhatWasCompletedUnlessItBeginsAtTheStart() {
    String job =
        """
        {"stages": [{"type": "generate", "tasks": ["one", "two"]},
         {"type": "generate", "tasks": ["bad", "three"]}]}
        """;
    String old = cli.stdin(job).submit("ws", "--job", "-");
    InProcessCli.work(
        ws,
        claim ->
            claim.inputText().equals("bad")
                ? Failure.permanent("broken")
                : claim.inputText().toUpperCase(Locale.ROOT));
    InProcessCli.Result result = cli.run("retry", "ws", old);
    assertThat(result.err()).isEqualTo("adopted 2 of 4 tasks from job " + old + "\n");
    String again = result.line();
    assertThat(result.out()).isEqualTo(again + "\n");
    assertThat(cli.run("job", "ws", again).out())
        .containsPattern("retry of +" + old + " \\(2 tasks adopted\\)\n")
        .containsPattern("1 +generate +\\S+ +2 +0 +2 +\\S* +2 adopted\n")
        .contains("task 1/2 adopt from " + old + " task 2\n");
    assertThat(cli.run("flow", "ws", again, "--tasks", "--json").lines().getFirst())
        .contains("\"attempts\":0,")
        .contains("\"adopted_from\":{\"job\":\"" + old + "\",\"task\":1}");
    JsonObject json = Json.object(cli.run("retry", "ws", old, "--json").out());
    assertThat(json.values()).containsEntry("adopted", 2L).containsEntry("tasks", 4L);
    InProcessCli.Result repeated = cli.run("retry", "ws", old, "--from-start");
    assertThat(repeated.err()).isEmpty();
    assertThat(cli.run("job", "ws", repeated.line()).out()).doesNotContain("adopted");
    InProcessCli.workAll(ws);
    assertThat(cli.run("flow", "ws", again).status()).isZero();
    assertThat(cli.run("retry", "ws", again).err()).as("it completed: repeated").isEmpty();
  }

  @Test
  void pruneDeletesOnlyOldFinishedJobs() {
    String done = cli.submit("ws", "1");
    InProcessCli.workAll(ws);
    String cancelled = cli.submit("ws", "2");
    cli.run("abort", "ws", cancelled);
    String queued = cli.submit("ws", "3");
    String held = cli.submit("ws", "4", "--hold");
    assertThat(cli.run("prune", "ws", "--older-than", "1h").out()).isEqualTo("pruned 0 jobs\n");
    InProcessCli.Result dry = cli.run("prune", "ws", "--older-than", "0s", "--dry-run");
    assertThat(dry.lines()).containsExactlyInAnyOrder(done, cancelled);
    assertThat(dry.err()).isEqualTo("would prune 2 jobs\n");
    assertThat(cli.run("prune", "ws", "--older-than", "0s", "--state", "done").out())
        .isEqualTo("pruned 1 job\n");
    assertThat(state(cancelled)).isEqualTo(JobState.ABORTED);
    assertThat(cli.run("prune", "ws", "--older-than", "0s", "--json").out())
        .isEqualTo("{\"pruned\":1}\n");
    assertThat(state(queued)).isEqualTo(JobState.PENDING);
    assertThat(state(held)).isEqualTo(JobState.PAUSED);
    assertThat(reader().state(InProcessCli.id(done))).isEmpty();
  }

  @Test
  void pruneNeedsAnAge() {
    cli.submit("ws", "1");
    assertThat(cli.run("prune", "ws").err()).contains("--older-than is required");
    assertThat(cli.run("prune", "ws", "--older-than", "1h", "--state", "queued").err())
        .contains("unknown state \"queued\"; known: done, failed, cancelled");
    assertThat(cli.run("prune", "ws", "--older-than", "P9999999999D").status()).isEqualTo(2);
    assertThat(cli.run("prune", "ws", "1736700000_1_0", "--older-than", "1h").status())
        .isEqualTo(2);
  }
}
