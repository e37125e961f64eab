package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobView;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code batch} as a process that is killed, with the bundled model. */
@Timeout(300)
class BatchIT {
  private static final String RESUMING = "exists already: resuming it";
  private static final String RESUMING_BOTH = "exist already: resuming them";
  private static final int REQUESTS = 16;

  @TempDir Path dir;
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void prepare() throws IOException {
    for (int i = 0; i < REQUESTS; i++) {
      lines.add(
          """
          {"custom_id":"r%d","method":"POST","url":"/v1/completions","body":{"model":"gpt",\
          "prompt":"Once upon a time there was a cat number %d","max_tokens":200,"ignore_eos":true,"seed":%d}}\
          """
              .formatted(i, i, 100 + i));
    }
    Files.write(dir.resolve("calm.jsonl"), lines);
    Files.write(dir.resolve("killed.jsonl"), lines.subList(1, REQUESTS));
  }

  private LauncherProcess batch(String file) {
    return LauncherProcess.start(dir, "batch", file, "--model", "house", "--slots", "4");
  }

  /** How many requests are done; -1 while nothing is submitted. */
  private int done(String file) {
    Path ws = dir.resolve(file + ".millrace");
    if (!PlaceOpener.isWorkspace(ws)) {
      return -1;
    }
    Flow flow = Workspace.open(ws).flow();
    List<JobId> jobs = flow.list(3);
    assertThat(jobs).as("one job, and one for the added line").hasSizeLessThan(3);
    return jobs.isEmpty()
        ? -1
        : jobs.stream().mapToInt(id -> flow.get(id).map(job -> done(job.view())).orElse(0)).sum();
  }

  private static int done(JobView job) {
    return JobJson.completedTasks(job.stages().getFirst());
  }

  /** Signals a batch that runs; before it does, Java has its own way to handle most signals. */
  private void kill(int doneAtLeast, String signal) {
    try (LauncherProcess batch = batch("killed.jsonl")) {
      await()
          .atMost(Duration.ofSeconds(120))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  done("killed.jsonl") >= doneAtLeast
                          && (signal.equals("KILL") || batch.err().contains(RESUMING_BOTH))
                      || !batch.isAlive());
      batch.signal(signal);
      int status = batch.result().status();
      assertThat(status).as(batch.err()).isEqualTo(signal.equals("KILL") ? 137 : 130);
    }
  }

  @Test
  void aBatchThatIsKilledRepeatedlyHasTheOutputOfAnUndisturbedOne() throws IOException {
    try (LauncherProcess calm = batch("calm.jsonl")) {
      InProcessCli.Result result = calm.result();
      assertThat(result.status()).as(result.toString()).isZero();
    }
    List<String> expected = output("calm.out.jsonl");
    kill(2, "KILL");
    assertThatItIsThePartOf(expected.subList(1, REQUESTS));
    Files.write(dir.resolve("killed.jsonl"), lines); // with one more at the beginning
    kill(5, "KILL"); // perhaps before it has looked at what the first run left
    kill(8, LauncherProcess.interruptsArrive() ? "INT" : "TERM");
    assertThat(done("killed.jsonl")).isBetween(8, REQUESTS - 1);
    assertThatItIsThePartOf(expected);
    try (LauncherProcess last = batch("killed.jsonl")) {
      InProcessCli.Result result = last.result();
      assertThat(result.status()).as(result.toString()).isZero();
      assertThat(result.err()).contains(RESUMING_BOTH);
    }
    assertThat(output("killed.out.jsonl")).hasSize(REQUESTS).isEqualTo(expected);
    assertThat(dir.resolve("killed.out.jsonl.partial")).doesNotExist();
  }

  /** What a kill leaves has the first lines; only the last one may be cut. */
  private void assertThatItIsThePartOf(List<String> expected) throws IOException {
    assertThat(dir.resolve("killed.out.jsonl")).doesNotExist();
    Path partial = dir.resolve("killed.out.jsonl.partial");
    if (Files.exists(partial)) {
      List<String> whole = output(partial.getFileName().toString());
      boolean cut = !whole.isEmpty() && !Files.readString(partial).endsWith("\n");
      List<String> left = cut ? whole.subList(0, whole.size() - 1) : whole;
      assertThat(left).isEqualTo(expected.subList(0, left.size()));
    }
  }

  /** The lines without their timestamps. */
  private List<String> output(String file) throws IOException {
    return Files.readAllLines(dir.resolve(file)).stream()
        .map(line -> line.replaceAll("\"created\":[0-9]+", "\"created\":0"))
        .toList();
  }
}
