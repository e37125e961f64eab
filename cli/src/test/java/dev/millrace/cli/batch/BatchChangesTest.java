package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.task.Failure;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a batch keeps when its file changes, and what it runs again. */
class BatchChangesTest extends BatchFixture {
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final Set<String> blocking = ConcurrentHashMap.newKeySet();
  private CountDownLatch blocked = new CountDownLatch(1);

  private TaskOutcome work(TaskContext task) throws InterruptedException {
    String content = content(task.input());
    if (blocking.contains(content)) {
      blocked.countDown();
      Thread.sleep(Long.MAX_VALUE); // until the interrupt
    }
    if (failing.contains(content)) {
      worked.add(content);
      return new TaskOutcome.Failed(Failure.permanent("no luck with " + content));
    }
    return new TaskOutcome.Done(answer(content));
  }

  private InProcessCli.Result run(String... more) {
    worker = this::work;
    worked.clear();
    return batch(arguments(more));
  }

  private static String[] arguments(String... more) {
    String[] all = new String[3 + more.length];
    System.arraycopy(new String[] {"in.jsonl", "-m", "m.gguf"}, 0, all, 0, 3);
    System.arraycopy(more, 0, all, 3, more.length);
    return all;
  }

  /** Stops a run, as a kill would, once a task blocks and {@code done} have been answered. */
  private InProcessCli.Result stopAt(String blockedTask, int done, String... more)
      throws InterruptedException {
    worker = this::work;
    worked.clear();
    blocking.add(blockedTask);
    blocked = new CountDownLatch(1);
    BackgroundCommand batch = start(arguments(more));
    blocked.await();
    await().until(() -> worked.size() >= done);
    await().until(() -> count(JobReader.Query.all()) >= 1 && ended() >= done);
    batch.interrupt();
    blocking.clear();
    return batch.result();
  }

  private int count(JobReader.Query query) {
    return reader().list(query).size();
  }

  private JobReader reader() {
    return Workspace.open(dir.resolve("in.jsonl.millrace")).reader();
  }

  /** How many tasks of the newest job have ended. */
  private int ended() {
    JobId newest = reader().list(JobReader.Query.all()).getLast();
    return (int)
        reader().tasks(newest, 1, 1, 100).stream().filter(task -> task.state().isFinal()).count();
  }

  private List<JobState> states() {
    JobReader reader = reader();
    return reader.list(JobReader.Query.all()).stream()
        .map(id -> reader.state(id).orElseThrow())
        .toList();
  }

  @Test
  void addedAndChangedLinesKeepWhatIsDone() throws IOException {
    requests("one", "two", "three");
    run();
    file(
        List.of(
            line("id-zero", "zero"),
            line("id-three", "three"),
            line("id-two", "changed"),
            line("id-one", "one")));
    InProcessCli.Result result = run();
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(worked).containsExactlyInAnyOrder("zero", "changed");
    assertThat(answers()).containsExactly("re: zero", "re: three", "re: changed", "re: one");
    assertThat(result.err())
        .contains(": 2 requests, new, changed or not finished; 2 kept from earlier runs\n");
    assertThat(run().err()).contains("jobs ", " are done: only the output is written");
    assertThat(worked).isEmpty();
    requests("one", "two", "three");
    assertThat(run().status()).as("the first content again").isZero();
    assertThat(worked).isEmpty();
    assertThat(answers()).containsExactly("re: one", "re: two", "re: three");
  }

  @Test
  void removedLinesAreLeftOutAndNamed() throws IOException {
    requests("one", "two", "three");
    run();
    requests("three", "one");
    InProcessCli.Result result = run();
    assertThat(result.err()).contains("left out: 1 request no longer in the file (id-two)\n");
    assertThat(worked).isEmpty();
    assertThat(answers()).containsExactly("re: three", "re: one");
  }

  @Test
  void equalLinesAreCountedOneByOne() throws IOException {
    file(List.of(line("a", "x"), line("b", "y"), line("a", "x")));
    run();
    assertThat(worked).containsExactlyInAnyOrder("x", "x", "y");
    file(List.of(line("a", "x"), line("a", "x"), line("a", "x")));
    run();
    assertThat(worked).containsExactly("x");
    assertThat(output()).extracting(each -> each.string("id")).doesNotHaveDuplicates();
    file(List.of(line("a", "x")));
    run();
    assertThat(worked).isEmpty();
  }

  @Test
  void theIdsOfAnswersStayWhenOtherLinesChange() throws IOException {
    requests("one", "two");
    run();
    String before = Json.write(output().get(1));
    requests("zero", "two");
    run();
    assertThat(Json.write(output().get(1))).isEqualTo(before);
  }

  @Test
  void unfinishedLinesThatWereChangedAreNotRun() throws Exception {
    requests("1", "2", "3", "4", "5");
    stopAt("3", 3); // one of two slots blocks, the other one works on
    List<String> first = List.copyOf(worked);
    assertThat(first).contains("1", "2");
    file(List.of(line("id-1", "1"), line("id-2", "2"), line("id-3", "new")));
    InProcessCli.Result result = run();
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(worked).containsExactly("new");
    assertThat(result.err()).contains(" aborted: its unfinished requests were changed or removed");
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: new");
    assertThat(states()).containsExactlyInAnyOrder(JobState.ABORTED, JobState.COMPLETED);
  }

  @Test
  void ifOnlyUnfinishedLinesAreRemovedNothingIsLeftToRun() throws Exception {
    requests("1", "2", "3");
    stopAt("3", 2);
    requests("1", "2");
    int before = opened.get();
    assertThat(batch("in.jsonl", "-m", "m.gguf").status()).isZero();
    assertThat(answers()).containsExactly("re: 1", "re: 2");
    assertThat(opened).as("no model is loaded").hasValue(before);
    assertThat(states()).containsExactly(JobState.ABORTED);
  }

  @Test
  void anUnfinishedJobGoesOnIfLinesWereOnlyAdded() throws Exception {
    requests("1", "2", "3");
    stopAt("3", 2);
    requests("0", "1", "2", "3");
    assertThat(run().status()).isZero();
    assertThat(worked).containsExactlyInAnyOrder("0", "3");
    assertThat(answers()).containsExactly("re: 0", "re: 1", "re: 2", "re: 3");
    assertThat(states()).containsOnly(JobState.COMPLETED).hasSize(2);
  }

  @Test
  void onlyFailedLinesAreRunAgain() throws IOException {
    requests("a", "bad", "c", "worse");
    failing.addAll(List.of("bad", "worse"));
    InProcessCli.Result first = run();
    assertThat(first.status()).isEqualTo(1);
    assertThat(first.err())
        .contains(
            "4 requests: 2 done, 2 failed",
            "\n  line 2 (id-bad): no luck with bad\n  line 4 (id-worse): no luck with worse\n"
                + "the same command with --retry-failed runs only the failed requests again\n");
    assertThat(run().status()).as("they stay failed").isEqualTo(1);
    assertThat(worked).isEmpty();
    failing.remove("bad");
    InProcessCli.Result second = run("--retry-failed");
    assertThat(second.status()).isEqualTo(1);
    assertThat(worked).containsExactlyInAnyOrder("bad", "worse");
    assertThat(second.err()).contains(": 2 requests that failed; 2 kept from earlier runs\n");
    assertThat(answers()).containsExactly("re: a", "re: bad", "re: c", "no luck with worse");
    failing.clear();
    assertThat(run("--retry-failed").status()).isZero();
    assertThat(worked).containsExactly("worse");
    assertThat(answers()).containsExactly("re: a", "re: bad", "re: c", "re: worse");
    assertThat(run("--retry-failed").err()).contains("no request failed; jobs ");
    assertThat(run().status()).isZero();
    assertThat(worked).isEmpty();
    assertThat(answers()).containsExactly("re: a", "re: bad", "re: c", "re: worse");
  }

  @Test
  void aRetryThatWasStoppedIsResumedAndNotStartedAgain() throws Exception {
    requests("a", "b", "c");
    failing.addAll(List.of("a", "b", "c"));
    run();
    failing.remove("b");
    stopAt("b", 2, "--retry-failed");
    assertThat(worked).containsExactlyInAnyOrder("a", "c");
    InProcessCli.Result again = run("--retry-failed");
    assertThat(worked).as("a and c have failed in this retry").containsExactly("b");
    assertThat(again.status()).isEqualTo(1);
    assertThat(states()).containsOnly(JobState.COMPLETED).hasSize(2);
    assertThat(answers()).containsExactly("no luck with a", "re: b", "no luck with c");
  }

  @Test
  void anAbortedBatchKeepsItsAnswers() throws Exception {
    requests("1", "2", "3");
    stopAt("3", 2);
    new InProcessCli(dir)
        .run("abort", "in.jsonl.millrace", reader().list(JobReader.Query.all()).getFirst().value());
    assertThat(run().status()).isZero();
    assertThat(worked).containsExactly("3");
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: 3");
  }

  @Test
  void aFreshStartUsesNothingFromBefore() throws Exception {
    requests("1", "2", "3");
    stopAt("3", 2);
    stopAt("3", 2, "--fresh");
    assertThat(worked).containsExactlyInAnyOrder("1", "2");
    assertThat(states()).contains(JobState.ABORTED).hasSize(2);
    assertThat(run().status()).isZero();
    assertThat(worked).containsExactly("3");
    assertThat(new InProcessCli(dir).run("batch", "x", "--fresh", "--retry-failed").status())
        .isEqualTo(2);
  }

  @Test
  void theSummaryListsTheFirstFailuresAndCountsTheRest() throws IOException {
    String[] contents = new String[25];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = "bad" + i;
      failing.add(contents[i]);
    }
    requests(contents);
    InProcessCli.Result text = run();
    assertThat(text.err())
        .contains("25 requests: 0 done, 25 failed; output: ", "line 20 (id-bad19): no luck")
        .contains("\n  and 5 more\n")
        .doesNotContain("id-bad20");
    InProcessCli.Result result = run("--json");
    assertThat(result.status()).isEqualTo(1);
    JsonObject summary = Json.object(result.out());
    assertThat(summary.list("failed_lines")).hasSize(20);
    assertThat(JsonObject.of(summary.list("failed_lines").getFirst(), "line").values())
        .containsEntry("line", 1L)
        .containsEntry("custom_id", "id-bad0")
        .containsEntry("reason", "no luck with bad0");
    assertThat(summary.values())
        .containsEntry("failed_lines_left_out", 5L)
        .containsEntry("failed", 25L)
        .containsEntry("generated_tokens", 0L)
        .doesNotContainKey("tokens_per_second");
  }

  @Test
  void theOutputGrowsInTheOrderOfTheLinesAndReplacesTheOldOneAtTheEnd() throws Exception {
    Path out = Files.writeString(dir.resolve("in.out.jsonl"), "of an earlier run\n");
    Path partial = dir.resolve("in.out.jsonl.partial");
    requests("1", "2", "3", "4");
    worker = this::work;
    blocking.add("3");
    BackgroundCommand batch = start(arguments());
    blocked.await();
    await().until(() -> worked.contains("4"));
    await().until(() -> Files.readString(partial).lines().count() == 2);
    assertThat(out).hasContent("of an earlier run\n");
    InProcessCli.Result second = batch(arguments());
    assertThat(second.err()).contains("another process writes " + partial);
    batch.interrupt();
    batch.result();
    String first = Files.readString(partial);
    assertThat(first.lines()).hasSize(2);
    Files.writeString(partial, first + "{\"id\":\"batch_re"); // as a kill may leave it
    blocking.clear();
    assertThat(run().status()).isZero();
    assertThat(worked).containsExactly("3");
    assertThat(out).content().startsWith(first);
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: 3", "re: 4");
    assertThat(partial).doesNotExist();
  }

  @Test
  void aFileMovedWithItsWorkspaceIsTheSameBatch() throws IOException {
    requests("1", "2");
    run("-d", "ws");
    Files.move(dir.resolve("in.jsonl"), dir.resolve("renamed.jsonl"));
    worked.clear();
    assertThat(batch("renamed.jsonl", "-d", "ws", "-m", "m.gguf").status()).isZero();
    assertThat(worked).as("the same content").isEmpty();
    Path moved = Files.createDirectory(dir.resolve("moved"));
    requests("1", "3");
    Files.move(dir.resolve("in.jsonl"), moved.resolve("in.jsonl"));
    assertThat(batch("moved/in.jsonl", "-d", "ws", "-m", "m.gguf").status()).isZero();
    assertThat(worked).as("the same name").containsExactly("3");
  }
}
