package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.job;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Submitting: an acknowledged job is there, complete and durable. */
abstract class SubmitContract extends ContractCase {

  /** A job that uses every field. */
  private static JobSpec elaborate(JobId parent) {
    TaskPolicy policy =
        new TaskPolicy(
            4,
            new Backoff(Duration.ofMillis(250), 1.5, Duration.ofSeconds(90), 0.125),
            Duration.ofHours(3),
            Duration.ofSeconds(77),
            5);
    StageSpec first =
        StageSpec.builder("resize")
            .tolerance(new FailureTolerance(true, 0.25))
            .policy(policy)
            .tasks(List.of(TaskSpec.of("a"), TaskSpec.of(Json.parse("{\"w\":[1,2.5,null,true]}"))))
            .data(Json.object("{\"quality\":85,\"mode\":\"fine\"}"))
            .build();
    StageSpec second =
        ContractJobs.gate(ContractJobs.templates("label", "{{results}}", "{{results[1]}} again"));
    StageSpec third = ContractJobs.each("caption", "{{index}}: {{result}}");
    return JobSpec.builder()
        .name("holiday \"pictures\"")
        .priority(Priority.VERY_HIGH)
        .held(true)
        .parent(parent)
        .retryOf(parent)
        .submittedBy("nightly")
        .tags(List.of("beach", "2026_03"))
        .metadata(Json.object("{\"owner\":{\"name\":\"Zoë\"},\"n\":12345678901234567890}"))
        .stages(List.of(first, second, third))
        .build();
  }

  @Test
  void aSubmittedJobIsPendingAndItsFirstStageIsOpen() {
    JobId id = submit(stage("a", "x", "y"), stage("b", "z"));

    JobView view = view(id);
    assertThat(view.state()).isEqualTo(JobState.PENDING);
    assertThat(view.createdAt()).isEqualTo(clock.instant());
    assertThat(view.startedAt()).isNull();
    assertThat(view.completedAt()).isNull();
    assertThat(view.error()).isNull();
    assertThat(view.stages())
        .extracting(JobView.StageView::state)
        .containsExactly(StageState.PENDING, StageState.CREATED);
    assertThat(view.stages())
        .extracting(JobView.StageView::tasks)
        .containsExactly(Map.of(TaskState.PENDING, 2), Map.of(TaskState.PENDING, 1));
    assertThat(events(id)).containsExactly(new LogEntry(1, clock.instant(), new Fact.Submitted()));
  }

  @Test
  void createdAtIsTheTimeOfTheSubmissionInMicroseconds() {
    clock.advanceTo(ManualClock.START.plusNanos(123_456_789));
    JobId id = submit(stage("a", "x"));
    assertThat(view(id).createdAt()).isEqualTo(ManualClock.START.plusNanos(123_456_000));
    crash();
    assertThat(view(id).createdAt()).isEqualTo(ManualClock.START.plusNanos(123_456_000));
  }

  @Test
  void aSubmittedJobSurvivesACrashAndACleanClose() {
    JobId parent = submit(stage("a", "x"));
    JobId id = store.submit(elaborate(parent));
    List<Object> before = everything(id);
    crash();
    assertThat(everything(id)).isEqualTo(before);
    reopen();
    assertThat(everything(id)).isEqualTo(before);
    assertThat(store.list(JobReader.Query.all())).containsExactly(parent, id);
  }

  @Test
  void everyFieldOfASubmissionIsReadBack() {
    JobId parent = submit(stage("a", "x"));
    JobSpec asked = elaborate(parent);
    JobId id = store.submit(asked);
    assertThat(store.spec(id)).contains(asked);
    assertThat(view(id).header()).isEqualTo(JobHeader.of(id, asked));
    crash();
    assertThat(store.spec(id)).contains(asked);
    assertThat(view(id).header()).isEqualTo(JobHeader.of(id, asked));
  }

  @Test
  void aJobSubmittedOnHoldIsPausedUntilAUserResumesIt() {
    JobId id = store.submit(ContractJobs.held(job(stage("a", "x"))));
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertNothingToClaim("a");
    crash();
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    assertNothingToClaim("a");
    assertThat(store.resume(id, ANNA).isDone()).isTrue();
    assertThat(state(id)).isEqualTo(JobState.PENDING);
    complete(claimOne("a"), "X");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void whoSubmittedAJobIsKeptAndIsNotPartOfADocument() {
    JobId plain = store.submit(JobSpec.prompt("generate", "hello").withSubmittedBy("nightly"));
    JobId staged = store.submit(job(stage("a", "1"), stage("b", "2")).withSubmittedBy("zoë"));
    JobId nobody = store.submit(JobSpec.prompt("generate", "hello"));
    crash();
    assertThat(view(plain).header().submittedBy()).isEqualTo("nightly");
    assertThat(view(staged).header().submittedBy()).isEqualTo("zoë");
    assertThat(view(nobody).header().submittedBy()).isNull();
    JobSpec spec = store.spec(staged).orElseThrow();
    assertThat(spec.submittedBy()).isEqualTo("zoë");
    assertThat(JobDocument.write(spec, true).has("submittedBy")).isFalse();
  }

  @Test
  void anyValueIsAnInput() {
    List<Object> values =
        new ArrayList<>(Arrays.asList("", " \n\r\t\u2028\0 \"\\ é 😀", null, true));
    values.add(Json.parse("[1, -2.50, 1e300, 9223372036854775807, {\"a\": []}]"));
    values.add(Json.parse("{\"b\": {\"\": null}, \"a\": 0.1}"));
    JobId id = submit(StageSpec.of("a", values.stream().map(TaskSpec::of).toList()));
    crash();
    assertThat(claim(10, "a")).extracting(Claim::input).containsExactlyElementsOf(values);
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(TaskView::input)
        .containsExactlyElementsOf(values);
  }

  @Test
  void aSealedStageWithoutTasksIsCompletedAtOnce() {
    JobId empty = submit(stage("a"), stage("b"));
    assertThat(state(empty)).isEqualTo(JobState.COMPLETED);
    assertThat(view(empty).startedAt()).isNull();
    assertThat(view(empty).completedAt()).isEqualTo(clock.instant());

    JobId gap = submit(stage("a"), stage("b", "x"), stage("a"));
    assertThat(stageState(gap, 1)).isEqualTo(StageState.COMPLETED);
    assertThat(stageState(gap, 2)).isEqualTo(StageState.PENDING);
    workOff("b");
    assertThat(state(gap)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anEmptyJobOnHoldCompletesWhenItIsResumed() {
    JobId id = store.submit(ContractJobs.held(job(stage("a"))));
    assertThat(state(id)).isEqualTo(JobState.PAUSED);
    store.resume(id, ANNA);
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anInputThatIsTooLargeIsRefusedAndNoJobIsMade() {
    String large = "é".repeat(JobSpec.MAX_PROMPT_BYTES / 2) + "x";
    assertThatThrownBy(() -> submit(stage("generate", large)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> submit(stage("a", "x", "y"), stage("b", "z", large)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.list(JobReader.Query.all())).isEmpty();
  }

  @Test
  void runningAFinishedJobAgainIsANewJobThatNamesTheOldOne() {
    JobId first = submit(stage("a", "x"));
    complete(claimOne("a"), "done");
    JobId again = store.submit(ContractJobs.retryOf(first, store.spec(first).orElseThrow()));
    assertThat(again).isNotEqualTo(first);
    assertThat(view(again).header().retryOf()).isEqualTo(first);
    assertThat(claimOne("a").input()).isEqualTo("x");
    assertThat(state(first)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void idsIncreaseWithEverySubmissionEvenIfTheClockIsSetBack() {
    JobId first = submit(stage("a", "x"));
    clock.jump(Duration.ofDays(-1));
    JobId second = submit(stage("a", "x"));
    clock.advance(Duration.ofDays(2));
    JobId third = submit(stage("a", "x"));
    assertThat(store.list(JobReader.Query.all())).containsExactly(first, second, third);
    assertThat(view(second).createdAt()).isEqualTo(ManualClock.START.minus(1, ChronoUnit.DAYS));
  }

  @Test
  void manyThreadsSubmitAtOnce() throws Exception {
    Set<JobId> ids = new TreeSet<>();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<JobId>> futures = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String input = "input " + i;
        futures.add(pool.submit(() -> submit(stage("a", input))));
      }
      for (Future<JobId> future : futures) {
        ids.add(future.get());
      }
    }
    crash();
    assertThat(ids).hasSize(200);
    assertThat(store.list(JobReader.Query.all())).containsExactlyElementsOf(ids);
    assertThat(claim(1_000, "a")).extracting(Claim::input).doesNotHaveDuplicates().hasSize(200);
  }
}
