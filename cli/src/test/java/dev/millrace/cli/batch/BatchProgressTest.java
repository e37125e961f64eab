package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.command.Shell;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The speed and the remaining time of a batch, with a clock and a worker of the test. */
class BatchProgressTest {
  private static final int LINES = 10;
  private static final int LIMIT = 100;

  @TempDir Path dir;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private long now;
  private JobStore store;
  private BatchFile file;
  private BatchJob batch;
  private BatchProgress progress;
  private BatchPlan plan;
  private int done;

  @BeforeEach
  void open() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      lines.add(BatchFixture.line("id-" + i, "x" + i).replace(":5}", ":" + LIMIT + "}"));
    }
    Path path = Files.write(dir.resolve("in.jsonl"), lines);
    file = BatchFile.read(path, "in.jsonl", new BatchFile.Models(true, null));
    batch = new BatchJob(file, "in.jsonl", path, "m", null);
    store = Workspace.open(dir.resolve("ws")).own().orElseThrow();
    store.submit(batch.spec(file.lines(), 1, BatchJob.Purpose.ANSWER));
    begin();
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** As a new process would. */
  private void begin() {
    plan = BatchHistory.read(store, batch, false, false);
    Shell shell =
        new Shell(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of("COLUMNS", "200"),
            dir,
            descriptor -> true);
    progress = new BatchProgress(shell, file, () -> now);
    show(0);
  }

  private List<Claim> claim(int count) {
    return store.claim(new ClaimRequest(Set.of("generate"), count, "test", null));
  }

  /** Claims tasks and fixes their terms, so that text can follow. */
  private List<Claim> start(int count) {
    List<Claim> claims = claim(count);
    claims.forEach(claim -> store.freeze(claim, JsonObject.create().put("seed", 1)));
    return claims;
  }

  private void generate(Claim claim, int tokens) {
    store.appendJournal(claim, new OutputChunk(Collections.nCopies(tokens, 7), "x"));
  }

  private void complete(Claim claim, int tokens) {
    store.complete(
        claim,
        TaskResult.of("x").withReceipt(JsonObject.create().put("completion_tokens", tokens)));
    done++;
  }

  /** What is shown after that many seconds. */
  private String show(double seconds) {
    now += (long) (seconds * Duration.ofSeconds(1).toNanos());
    err.reset();
    JobView job = store.find(plan.jobs().keySet().iterator().next()).orElseThrow();
    var counts = BatchProgress.Counts.of(plan.jobs(), Map.of(job.header().id(), job));
    progress.measure(store, List.of(job), counts);
    progress.show(counts, new BatchOutput.Totals(done, 0, 0, done * 50L), "");
    String text = err.toString(StandardCharsets.UTF_8);
    return text.substring(text.indexOf(']') + 1).strip();
  }

  @Test
  void thereIsATimeBeforeTheFirstRequestHasEnded() {
    List<Claim> claims = start(2);
    show(5); // the prompt is read
    for (int second = 0; second < 4; second++) {
      claims.forEach(claim -> generate(claim, 10));
      show(1);
    }
    claims.forEach(claim -> generate(claim, 10));
    assertThat(show(1)).isEqualTo("0/10, 20.0 tokens/s, at most 45 s left");
  }

  @Test
  void afterAFewItIsTheirMean() {
    for (Claim claim : start(4)) {
      generate(claim, 40);
      show(2);
      complete(claim, 50);
    }
    assertThat(show(1)).startsWith("4/10, ").endsWith(", 14 s left").contains("tokens/s");
    assertThat(progress.speed()).isEqualTo(new BatchSummary.RunSpeed(200, Duration.ofSeconds(9)));
  }

  @Test
  void workAndTimeOfAnEarlierRunAreNoSpeed() {
    List<Claim> before = start(4);
    before.forEach(claim -> generate(claim, 40));
    before.subList(0, 3).forEach(claim -> complete(claim, 50));
    store.release(before.get(3), "stopped");
    now += Duration.ofHours(9).toNanos();
    begin();
    err.reset();
    List<Claim> again = claim(1);
    assertThat(show(1)).isEmpty(); // nothing has changed on the screen
    generate(again.getFirst(), 5);
    show(1);
    generate(again.getFirst(), 5);
    show(1);
    generate(again.getFirst(), 5);
    assertThat(show(1)).isEqualTo("3/10, 5.0 tokens/s, 59 s left");
    complete(again.getFirst(), 57);
    show(1);
    assertThat(progress.speed().tokens()).as("40 were there before").isEqualTo(17);
    assertThat(progress.speed().busy()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void nothingIsReportedWhileNothingRuns() {
    Claim claim = start(1).getFirst();
    for (int second = 0; second < 3; second++) {
      generate(claim, 10);
      show(1);
    }
    generate(claim, 10);
    assertThat(show(1)).contains("tokens/s");
    store.release(claim, "stopped");
    assertThat(show(6)).isEqualTo("0/10");
    now += Duration.ofHours(1).toNanos();
    show(1);
    assertThat(progress.speed().busy()).isEqualTo(Duration.ofSeconds(4));
  }
}
