package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.log.Log;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobRetentionTest extends CommandFixture {
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private Instant now = Instant.now();

  @BeforeEach
  void captureTheLog() {
    Log.configure(Map.of(), new PrintStream(log), new PrintStream(log), true);
  }

  @AfterEach
  void releaseTheLog() {
    Log.configure(Map.of(), System.out, System.err, false);
  }

  private int sweep(JobStore store) {
    return new JobRetention(store, Duration.ofDays(30), () -> now).sweep();
  }

  @Test
  void endedJobsAreDeletedWhenTheyAreOldEnoughAndItIsLogged() {
    cli.submit("ws", "ends");
    JobId response;
    try (JobStore store = Workspace.open(ws).own().orElseThrow()) {
      response =
          store.submit(
              JobSpec.builder()
                  .data(
                      Json.object(
                          "{\"openai_response\":{\"owner\":\"\",\"created_at\":1,\"request\":{}}}"))
                  .stages(List.of(StageSpec.of("generate", List.of(TaskSpec.of("response")))))
                  .build());
    }
    InProcessCli.workAll(ws);
    JobId waiting = new JobId(cli.submit("ws", "waits"));
    captureTheLog(); // the commands used it
    try (JobStore store = Workspace.open(ws).own().orElseThrow()) {
      now = now.plus(Duration.ofDays(29));
      assertThat(sweep(store)).isZero();
      assertThat(log.toString()).doesNotContain("deleted"); // of other tests it may have lines
      now = now.plus(Duration.ofDays(2));
      assertThat(sweep(store)).isEqualTo(1);
      assertThat(store.list(Query.all())).containsExactlyInAnyOrder(response, waiting);
      assertThat(log.toString()).contains("[INFO]", "deleted 1 job that ended more than 30d");
    }
  }

  @Test
  void withoutTheOptionNothingIsDeleted() {
    cli.submit("ws", "x");
    try (JobStore store = Workspace.open(ws).own().orElseThrow()) {
      assertThat(JobRetention.start(store, null)).isNull();
    }
  }
}
