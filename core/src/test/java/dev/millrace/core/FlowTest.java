package dev.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The two entry points over a store: {@link Work} submits, {@link Flow} reads. */
class FlowTest {
  private final JobStore store =
      new MemoryStoreFixture().open(ContractSettings.of(new ManualClock()));
  private final Work work = new Work(store);
  private final Flow flow = new Flow(store);

  private JobId submit(String prompt) {
    Work.SubmitResult result = work.submit(prompt);
    assertThat(result.ok()).as(result.message()).isTrue();
    return result.id();
  }

  private Claim claim() {
    return store.claim(new ClaimRequest(Set.of("generate"), 1, "w", null)).getFirst();
  }

  @Test
  void aPromptIsSubmittedAndItsResultIsRead() throws InterruptedException {
    JobId id = submit("hello");
    assertThat(flow.status(id)).isEqualTo(Flow.Status.QUEUED);
    Claim claim = claim();
    assertThat(flow.status(id)).isEqualTo(Flow.Status.RUNNING);
    assertThat(flow.get(id).orElseThrow().result()).isNull();
    store.complete(claim, TaskResult.of("world"));
    assertThat(flow.await(id, Duration.ZERO)).isEqualTo(Flow.Status.DONE);
    assertThat(flow.get(id).orElseThrow().result()).isEqualTo("world");
  }

  @Test
  void theErrorOfASinglePromptIsItsTasksError() {
    JobId id = submit("hello");
    store.fail(claim(), Failure.of("out of cheese"));
    assertThat(flow.get(id).orElseThrow().error()).isEqualTo("out of cheese");
    assertThat(flow.get(id).orElseThrow().status()).isEqualTo(Flow.Status.FAILED);
  }

  @Test
  void allResultsOfTheLastStageAreThere() {
    List<TaskSpec> tasks = new ArrayList<>();
    for (int i = 1; i <= 2_500; i++) {
      tasks.add(TaskSpec.of("t" + i));
    }
    JobId id = work.submit(JobSpec.of(List.of(StageSpec.of("generate", tasks)))).id();
    for (Claim claim : store.claim(new ClaimRequest(Set.of("generate"), 2_499, "w", null))) {
      store.complete(claim, TaskResult.of("r" + claim.key().task()));
    }
    Flow.Job job = flow.get(id).orElseThrow();
    assertThat(job.results()).hasSize(2_500);
    assertThat(job.results().get(1_999)).isEqualTo(TaskResult.of("r2000"));
    assertThat(job.results().get(2_499)).isNull();
    assertThat(job.result()).isNull();
  }

  @Test
  void anUnknownJobIsMissing() throws InterruptedException {
    JobId nobody = new JobId("1_2_3");
    assertThat(flow.status(nobody)).isEqualTo(Flow.Status.MISSING);
    assertThat(flow.get(nobody)).isEmpty();
    assertThat(flow.await(nobody, Duration.ofDays(1))).isEqualTo(Flow.Status.MISSING);
    assertThat(flow.follow(nobody, 5, entry -> {})).isEqualTo(5);
  }

  @Test
  void everyStateHasAStatus() {
    for (JobState state : JobState.values()) {
      assertThat(Flow.Status.of(state).isFinal()).isEqualTo(state.isFinal());
    }
  }

  @Test
  void listsShowTheNewestAndStates() {
    List<JobId> ids = List.of(submit("1"), submit("2"), submit("3"));
    store.abort(ids.get(1), Cause.SYSTEM);
    assertThat(flow.list(2)).isEqualTo(ids.subList(1, 3));
    assertThat(flow.list(Set.of(JobState.ABORTED))).containsExactly(ids.get(1));
    assertThat(flow.counts()).containsEntry(JobState.PENDING, 2).containsEntry(JobState.ABORTED, 1);
  }

  @Test
  void aFollowerSeesEveryEntryOnce() throws InterruptedException {
    JobId id = submit("hello");
    List<LogEntry> seen = new ArrayList<>();
    Thread worker =
        Thread.ofVirtual()
            .start(
                () -> {
                  Claim claim = claim();
                  store.log(claim, "info", "working");
                  store.complete(claim, TaskResult.of("world"));
                });
    long last = flow.follow(id, 0, seen::add);
    worker.join();
    assertThat(seen).isEqualTo(store.events(id, 0, 100));
    assertThat(last).isEqualTo(seen.size());
  }

  @Test
  void awaitEndsWhenTheJobDoes() throws InterruptedException {
    JobId id = submit("hello");
    Thread worker = Thread.ofVirtual().start(() -> store.complete(claim(), TaskResult.of("world")));
    assertThat(flow.await(id, Duration.ofMinutes(1))).isEqualTo(Flow.Status.DONE);
    worker.join();
  }

  @Test
  void aSubmissionThatIsRefusedSaysWhy() {
    assertThat(work.submit(""))
        .isEqualTo(
            new Work.SubmitResult(false, null, Work.Problem.INVALID_CONTENT, "Empty prompt"));
    String large = "x".repeat(JobSpec.MAX_PROMPT_BYTES + 1);
    assertThat(work.submit(large).problem()).isEqualTo(Work.Problem.INVALID_SIZE);
    assertThat(work.submit("é".repeat(JobSpec.MAX_PROMPT_BYTES / 2 + 1)).problem())
        .isEqualTo(Work.Problem.INVALID_SIZE);
    assertThat(Work.isValidPrompt("é".repeat(JobSpec.MAX_PROMPT_BYTES / 2))).isTrue();
    assertThat(store.counts()).isEmpty();

    Work broken =
        new Work(
            refusing(
                () -> {
                  throw new StoreException("disk full");
                }));
    assertThat(broken.submit("x"))
        .isEqualTo(new Work.SubmitResult(false, null, Work.Problem.IO, "disk full"));
    Work picky =
        new Work(
            refusing(
                () -> {
                  throw new IllegalArgumentException("no such model");
                }));
    assertThat(picky.submit("x").problem()).isEqualTo(Work.Problem.INVALID_CONTENT);
    assertThat(Work.generateId()).isNotEqualTo(Work.generateId());
  }

  @Test
  void aRetryIsANewJobOrSaysWhyNot() {
    JobId id = submit("hello");
    assertThat(work.retry(id, false).problem()).isEqualTo(Work.Problem.NOT_ENDED);
    store.abort(id, Cause.SYSTEM);
    Work.SubmitResult again = work.retry(id, false);
    assertThat(again.ok()).isTrue();
    assertThat(store.find(again.id()).orElseThrow().header().retryOf()).isEqualTo(id);
    assertThat(work.retry(new JobId("1_2_3"), true))
        .isEqualTo(
            new Work.SubmitResult(false, null, Work.Problem.NOT_FOUND, "no job 1_2_3 to retry"));
    Work broken =
        new Work(
            refusing(
                () -> {
                  throw new StoreException("disk full");
                }));
    assertThat(broken.retry(id, false).problem()).isEqualTo(Work.Problem.IO);
  }

  private static JobSubmitter refusing(Supplier<JobId> submit) {
    return new JobSubmitter() {
      @Override
      public JobId submit(JobSpec spec) {
        return submit.get();
      }

      @Override
      public boolean submit(JobSpec spec, JobId id) {
        return submit.get().equals(id);
      }

      @Override
      public RetryResult retry(RetryRequest request) {
        return new RetryResult(Outcome.DONE, submit.get(), true, 0, 0);
      }
    };
  }
}
