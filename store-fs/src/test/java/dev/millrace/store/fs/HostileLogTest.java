package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.rules.LogLimits;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.OwnerProcess;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A log that was written without limits does not keep a small server from starting. */
@Tag("slow")
class HostileLogTest extends RealWorkspaceCase {
  /** What the child's heap has, see {@link ChildProcess}. */
  private static final long HEAP = 64L << 20;

  private static final Cause MALLORY = Cause.user("mallory", null);
  private long number;

  private void write(OutputStream out, Fact fact) throws IOException {
    LogEntry entry = new LogEntry(++number, Instant.now(), fact);
    out.write((LogEntryJson.write(entry) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static JsonObject terms() {
    Map<String, Object> bias = new LinkedHashMap<>();
    for (int token = 0; token < 20_000; token++) {
      bias.put(Integer.toString(token), 1L);
    }
    return JsonObject.create()
        .put("parameters", JsonObject.create().put("logit_bias", bias).values());
  }

  /** 1 MB of metadata a hundred times, 200 KB of terms for each task, and a worker that talks. */
  private void writeHostileLog(Path log, int tasks) throws IOException {
    JsonObject metadata = JsonObject.create().put("x", "y".repeat(1_000_000));
    JsonObject terms = terms();
    String talk = "z".repeat(10_000);
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(log, StandardOpenOption.APPEND), 1 << 20)) {
      for (int i = 0; i < 100; i++) {
        write(out, new Fact.MetadataReplaced(0, 0, metadata, MALLORY));
      }
      for (int task = 2; task <= tasks; task++) {
        write(out, new Fact.TermsFrozen(1, task, terms));
      }
      for (int i = 0; i < 10_000; i++) {
        write(out, new Fact.WorkerLogLine(1, 1, "info", talk));
      }
    }
  }

  @Test
  void aLogOfSeveralTimesTheHeapIsReadAndItsJobRuns() throws Exception {
    int tasks = 40;
    String[] inputs = new String[tasks];
    java.util.Arrays.fill(inputs, "x");
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.open(TestJobSpecs.stage("a", inputs)));
    assertThat(complete(store, claim(store, 1).getFirst())).isEqualTo(Outcome.DONE);
    number = store.find(id).orElseThrow().lastEvent();
    close(store);
    Path log = place(JobState.IN_PROGRESS, id).resolve(EventLog.FILE);
    writeHostileLog(log, tasks);
    assertThat(Files.size(log)).isGreaterThan(3 * HEAP);
    try (ChildProcess child = new ChildProcess(OwnerProcess.class, _ -> {}, root, 1)) {
      assertThat(child.line()).isEqualTo("ready");
      for (int task = 2; task <= tasks; task++) {
        assertThat(child.line()).isEqualTo("completed " + id + "/1/" + task);
      }
      await("the end of the job", () -> workspace.reader().state(id).orElseThrow().isFinal());
    }
    JobStore next = own();
    assertThat(next.state(id)).contains(JobState.COMPLETED);
    Outcome refused = next.replaceMetadata(id, 0, 0, JsonObject.create(), SimulatedStore.ANNA);
    assertThat(((Outcome.Refused) refused).reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(refused.message()).contains("at most " + LogLimits.MAX_ADDED_BYTES);
  }
}
