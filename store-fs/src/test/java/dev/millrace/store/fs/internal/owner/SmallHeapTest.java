package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.HostileJobsOwner;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that may submit cannot keep a server with a small heap from starting. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmallHeapTest {
  private static final Cause ANNA = Cause.user("anna", null);

  @TempDir Path dir;

  /** Three bytes of JSON each, and thirty times as many in memory. */
  private static List<Map<String, Object>> empties(int count) {
    return Stream.<Map<String, Object>>generate(LinkedHashMap::new).limit(count).toList();
  }

  private static JobId submitOpen(JobStore store, JsonObject metadata) {
    return store.submit(JobSpec.builder().open(true).metadata(metadata).stages(List.of()).build());
  }

  private void assertServes(String heap) throws Exception {
    try (ChildProcess owner = new ChildProcess(heap, HostileJobsOwner.class, line -> {}, dir, 8)) {
      assertThat(owner.line()).isEqualTo("opened");
      assertThat(owner.line()).startsWith("claimed");
      assertThat(owner.line()).isEqualTo("counted");
      assertThat(owner.line()).isEqualTo("done");
    }
  }

  @Test
  void waitingAndAbortedTasksTakeLittleMemory() throws Exception {
    JobId id;
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      id = submitOpen(store, JsonObject.create());
      List<TaskSpec> tasks = Collections.nCopies(StageSpec.MAX_TASKS, TaskSpec.of(""));
      for (int stage = 1; stage <= 5; stage++) {
        assertThat(store.addStage(id, StageSpec.of("a", tasks), ANNA).outcome().isDone()).isTrue();
      }
    }
    assertServes("64m");
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      assertThat(store.abort(id, ANNA).isDone()).isTrue();
    }
    assertServes("64m");
  }

  @Test
  void manyJobsWithManyValuesTakeLittleMemory() throws Exception {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JsonObject metadata = JsonObject.create().put("m", empties(40_000));
      for (int job = 0; job < 40; job++) {
        submitOpen(store, metadata);
      }
    }
    assertServes("64m");
  }

  @Test
  void inputsAreReadAFewAtATime() throws Exception {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      store.submit(
          JobSpec.of(
              List.of(StageSpec.of("a", Collections.nCopies(16, TaskSpec.of(empties(100_000)))))));
    }
    assertServes("80m");
  }
}
