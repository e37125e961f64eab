package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** {@code batch} in this JVM, with a worker of the test instead of a model. */
class BatchCommandTest extends BatchFixture {
  @Test
  void answersHaveTheFormatOfOpenAiAndTheOrderOfTheRequests() throws IOException {
    requests("one", "three");
    InProcessCli.Result result = batch("in.jsonl", "--model", "m.gguf");
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains(": 2 requests\n", "2 requests: 2 done, 0 failed, 8 tokens", "in.out.jsonl\n");
    JsonObject first = output().getFirst();
    long created = first.object("response").object("body").integer("created");
    assertThat(created).isPositive();
    String key = first.string("id").substring("batch_req_".length());
    assertThat(key).matches("[0-9a-f]{16}-1");
    assertThat(Json.write(first))
        .isEqualTo(
            """
            {"id":"batch_req_%s","custom_id":"id-one","response":{"status_code":200,\
            "request_id":"req_%s","body":{"id":"chatcmpl-%s","object":"chat.completion",\
            "created":%d,"model":"m","choices":[{"index":0,"message":{"role":"assistant",\
            "content":"re: one"},"logprobs":null,"finish_reason":"stop"}],"usage":\
            {"prompt_tokens":3,"completion_tokens":3,"total_tokens":6}}},"error":null}\
            """
                .formatted(key, key, key, created));
    assertThat(output().get(1).get("custom_id")).isEqualTo("id-three");
    assertThat(Json.write(output().get(1))).contains("\"finish_reason\":\"length\"");
    assertThat(dir.resolve("in.out.jsonl.partial")).doesNotExist();
    assertThat(dir.resolve("in.jsonl.millrace/output")).isDirectory();
  }

  @Test
  void aRequestThatFailsHasAnErrorAndTheOthersAnswers() throws IOException {
    requests("good", "bad", "fine");
    worker =
        task ->
            content(task.input()).equals("bad")
                ? new TaskOutcome.Failed(Failure.permanent("no luck"))
                : new TaskOutcome.Done(answer(content(task.input())));
    InProcessCli.Result result = batch("in.jsonl", "-m", "m.gguf", "--json");
    assertThat(result.status()).isEqualTo(1);
    assertThat(Json.object(result.out()).values())
        .containsEntry("requests", 3L)
        .containsEntry("completed", 2L)
        .containsEntry("failed", 1L)
        .containsEntry("completion_tokens", 8L)
        .containsEntry("output", dir.resolve("in.out.jsonl").toString());
    assertThat(output()).hasSize(3);
    assertThat(Json.write(output().get(1)))
        .endsWith(
            "\"custom_id\":\"id-bad\",\"response\":null,\"error\":"
                + "{\"code\":\"request_failed\",\"message\":\"no luck\"}}");
  }

  @Test
  void aFinishedBatchIsOnlyWrittenAgainUnlessFresh() throws IOException {
    requests("one", "two");
    batch("in.jsonl", "-m", "m.gguf");
    List<JsonObject> before = output();
    Files.delete(dir.resolve("in.out.jsonl"));
    InProcessCli.Result again = batch("in.jsonl");
    assertThat(again.status()).isZero();
    assertThat(again.err()).contains("is done: only the output is written");
    assertThat(output()).isEqualTo(before);
    assertThat(batch("in.jsonl", "-m", "m.gguf").err()).contains("is done");
    assertThat(opened).as("no model is loaded").hasValue(1);
    InProcessCli.Result shown = batch("in.jsonl", "--out", "-");
    assertThat(shown.lines()).hasSize(2).first().isEqualTo(Json.write(before.getFirst()));
    assertThat(batch("in.jsonl", "-m", "m.gguf", "--fresh").status()).isZero();
    assertThat(opened).hasValue(2);
    assertThat(worked).hasSize(4);
    requests("one", "two", "three");
    batch("in.jsonl", "-m", "m.gguf");
    assertThat(worked).as("what is done is kept").hasSize(5);
  }

  @Test
  void aModelWithTheSameNameAndOtherWeightsGetsItsOwnJob() throws IOException {
    requests("one");
    batch("in.jsonl", "-m", "m.gguf");
    Files.writeString(dir.resolve("m.gguf"), "trained on");
    InProcessCli.Result again = batch("in.jsonl", "-m", "m.gguf");
    assertThat(again.err()).contains(": 1 request\n").doesNotContain("is done");
    assertThat(worked).containsExactly("one", "one");
    Files.writeString(dir.resolve("m.gguf"), "");
    assertThat(batch("in.jsonl", "-m", "m.gguf").err())
        .as("the older job is found behind the newer one")
        .contains("is done: only the output is written");
    assertThat(worked).hasSize(2);
  }

  @Test
  void withoutAModelAnswersOfAnyModelAreUsedOnlyIfNoServerRuns() throws IOException {
    requests("one");
    batch("in.jsonl", "-d", "ws", "-m", "m.gguf");
    assertThat(batch("in.jsonl", "-d", "ws").err()).contains("is done");
    Workspace workspace = Workspace.open(dir.resolve("ws"));
    try (JobStore server = workspace.own().orElseThrow();
        BackgroundCommand batch = start("in.jsonl", "-d", "ws")) {
      batch.awaitErr(": 1 request\n");
      assertThat(server.counts()).containsEntry(JobState.COMPLETED, 1);
      batch.interrupt();
      assertThat(batch.result().status()).isEqualTo(130);
    }
  }

  @Test
  void environmentVariablesApplyAsForServe() throws IOException {
    requests("one");
    environment.put("NRVNA_WORKERS", "3");
    batch("in.jsonl", "-m", "m.gguf");
    assertThat(asked).isNotNull();
    assertThat(asked.engine().slots()).isEqualTo(3);
    environment.put("MILLRACE_SLOTS", "5");
    batch("in.jsonl", "-m", "m.gguf", "--fresh");
    assertThat(asked.engine().slots()).isEqualTo(5);
  }

  @Test
  void theRecoveryCeilingOfTheEnvironmentHoldsForPlainJobs() throws IOException {
    requests("one");
    JobId plain = new JobId(new InProcessCli(dir).submit("ws", "x"));
    Workspace workspace = Workspace.open(dir.resolve("ws"));
    try (JobStore dying = workspace.own().orElseThrow()) {
      assertThat(dying.claim(new ClaimRequest(Set.of("generate"), 1, "test", null))).hasSize(1);
    }
    environment.put("NRVNA_MAX_RECOVERY_ATTEMPTS", "0");
    batch("in.jsonl", "-d", "ws", "-m", "m.gguf");
    assertThat(workspace.reader().state(plain)).contains(JobState.FAILED);
    assertThat(new InProcessCli(dir).run("flow", "ws", plain.value()).err())
        .contains("Job exceeded recovery ceiling");
  }

  @Test
  void anUnwritableOutputIsRejectedBeforeTheWork() throws IOException {
    requests("one");
    String before = Files.readString(dir.resolve("in.jsonl"));
    Files.createSymbolicLink(dir.resolve("link"), dir.resolve("in.jsonl"));
    Files.createDirectory(dir.resolve("taken"));
    for (String out : List.of("in.jsonl", "link", "./taken/../in.jsonl")) {
      assertThat(batch("in.jsonl", "-m", "m.gguf", "-o", out).err())
          .contains("would overwrite the requests");
    }
    assertThat(batch("in.jsonl", "-m", "m.gguf", "-o", "taken").err())
        .contains("taken cannot be written: it is a directory");
    assertThat(batch("in.jsonl", "-m", "m.gguf", "-o", "none/x").err())
        .contains("none/x cannot be written: there is no directory ")
        .doesNotContain(".tmp");
    assertThat(dir.resolve("in.jsonl")).hasContent(before);
    assertThat(worked).isEmpty();
  }

  @Test
  void anOutputThatFailsAtTheEndIsKeptUnderItsPartialName() throws IOException {
    requests("one");
    worker =
        task -> {
          Files.createDirectories(dir.resolve("taken/by something"));
          return new TaskOutcome.Done(answer(content(task.input())));
        };
    BackgroundCommand batch = start("in.jsonl", "-m", "m.gguf", "-o", "taken");
    assertThat(batch.result().err()).contains("taken cannot be written", "all answers are in ");
    assertThat(dir.resolve("taken.partial")).content().contains("re: one").endsWith("}\n");
  }

  @Test
  void theOnlyModelOfAServerNeedsNoName() throws IOException {
    requests("one");
    Files.writeString(
        dir.resolve("in.jsonl"),
        Files.readString(dir.resolve("in.jsonl")).replace("\"model\":\"gpt\",", ""));
    Workspace workspace = Workspace.open(dir.resolve("ws"));
    try (JobStore server = workspace.own().orElseThrow()) {
      workspace.announce(JsonObject.create().put("models", List.of(Map.of("name", "m"))));
      BackgroundCommand first = start("in.jsonl", "-d", "ws").awaitErr(": 1 request");
      first.interrupt();
      first.result();
      BackgroundCommand second =
          start("in.jsonl", "-d", "ws", "-m", "m").awaitErr("exists already: resuming it");
      second.interrupt();
      second.result();
      assertThat(server.counts().values()).containsOnlyOnce(1);
    }
  }

  @Test
  void completedRequestsAreNotRepeatedAfterAnInterrupt() throws Exception {
    requests("1", "2", "3", "4", "5");
    CountDownLatch reached = new CountDownLatch(1);
    worker = task -> blockAt("3", task, reached);
    BackgroundCommand first = start("in.jsonl", "-m", "m.gguf");
    reached.await();
    await().until(() -> worked.contains("2") && worked.contains("1"));
    first.interrupt();
    InProcessCli.Result stopped = first.result();
    assertThat(stopped.status()).isEqualTo(130);
    assertThat(stopped.err())
        .contains(" of 5 done and kept in ", "; run the same command again to resume");
    assertThat(dir.resolve("in.out.jsonl")).doesNotExist();
    int before = worked.size();
    worker = task -> new TaskOutcome.Done(answer(content(task.input())));
    InProcessCli.Result again = batch("in.jsonl", "-m", "m.gguf");
    assertThat(again.err()).contains("exists already: resuming it");
    assertThat(again.status()).isZero();
    assertThat(worked).as("after %d", before).containsExactlyInAnyOrder("1", "2", "3", "4", "5");
    assertThat(output())
        .extracting(line -> line.get("custom_id"))
        .containsExactly("id-1", "id-2", "id-3", "id-4", "id-5");
  }

  private TaskOutcome blockAt(String which, TaskContext task, CountDownLatch reached)
      throws InterruptedException {
    String content = content(task.input());
    if (content.compareTo(which) >= 0) {
      reached.countDown();
      Thread.sleep(Long.MAX_VALUE); // until the interrupt
    }
    return new TaskOutcome.Done(answer(content));
  }

  @Test
  void theServerOfTheWorkspaceDoesTheWorkUntilItDies() throws Exception {
    requests("1", "2", "3");
    Path ws = dir.resolve("ws");
    JobStore store = Workspace.open(ws).own().orElseThrow();
    BackgroundCommand batch = start("in.jsonl", "-d", "ws", "-m", "m.gguf");
    List<Claim> claims = new ArrayList<>();
    await()
        .until(
            () -> {
              claims.addAll(store.claim(new ClaimRequest(Set.of("generate"), 1, "test", null)));
              return !claims.isEmpty();
            });
    store.complete(claims.getFirst(), TaskResult.of("by the server"));
    assertThat(opened).hasValue(0);
    store.close();
    assertThat(batch.result().status()).isZero();
    assertThat(opened).hasValue(1);
    assertThat(worked).containsExactlyInAnyOrder("2", "3");
    assertThat(Json.write(output().getFirst())).contains("\"content\":\"by the server\"");
  }

  @Test
  void withoutAServerAndWithoutAModelNothingIsSubmitted() throws IOException {
    requests("1");
    InProcessCli.Result result = batch("in.jsonl");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("no server works on ", "pass --model MODEL");
    assertThat(Workspace.open(dir.resolve("in.jsonl.millrace")).flow().list(10)).isEmpty();
  }

  @Test
  void aBadFileLeavesNothingBehind() throws IOException {
    Files.writeString(dir.resolve("in.jsonl"), "{\"custom_id\":\"a\"}\n");
    InProcessCli.Result result = batch("in.jsonl", "-m", "m.gguf");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err())
        .contains("line 1: method must be \"POST\"", "line 1: url must be one of");
    assertThat(dir.resolve("in.jsonl.millrace")).doesNotExist();
    assertThat(batch("none.jsonl", "-m", "m.gguf").err()).contains("none.jsonl does not exist");
  }

  @Test
  void aTerminalShowsABar() throws Exception {
    requests("1", "2", "3", "4");
    CountDownLatch reached = new CountDownLatch(1);
    worker = task -> blockAt("3", task, reached);
    BackgroundCommand batch =
        BackgroundCommand.onTerminal(dir, shell -> run(shell, "in.jsonl", "-m", "m.gguf"));
    reached.await();
    batch.awaitErr("[████████████░░░░░░░░░░░░] 2/4");
    batch.interrupt();
    assertThat(batch.result().status()).isEqualTo(130);
  }

  @Test
  void wrongArgumentsAreRejected() {
    InProcessCli cli = new InProcessCli(dir);
    assertThat(cli.run("batch").status()).isEqualTo(2);
    assertThat(cli.run("batch", "-").err()).contains("must be in a file");
    assertThat(cli.run("batch", "a", "b").err()).contains("unexpected argument: b");
    assertThat(cli.run("batch", "a", "--out", "-", "--json").err()).contains("would mix");
    assertThat(cli.run("batch", "a", "--model", "nothing-like-it").status()).isEqualTo(1);
  }
}
