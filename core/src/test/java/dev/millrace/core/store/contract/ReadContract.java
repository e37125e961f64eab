package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.job;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lists, counts, pages, waiting for changes, and deletion. */
abstract class ReadContract extends ContractCase {
  private static final Set<JobState> ALL = EnumSet.allOf(JobState.class);

  /** One job in each state that a submitted job can have. */
  private Map<JobState, JobId> oneOfEach() {
    Map<JobState, JobId> ids = new TreeMap<>();
    ids.put(JobState.COMPLETED, submit(stage("a", "x")));
    complete(claimOne("a"), "done");
    ids.put(JobState.FAILED, submit(stage("a", "x")));
    fail(claimOne("a"), "broken");
    ids.put(JobState.ABORTED, submit(stage("a", "x")));
    store.abort(ids.get(JobState.ABORTED), ANNA);
    ids.put(JobState.IN_PROGRESS, submit(stage("a", "x", "y")));
    complete(claimOne("a"), "half");
    ids.put(JobState.PAUSED, submit(stage("b", "x")));
    store.pause(ids.get(JobState.PAUSED), ANNA);
    ids.put(JobState.PENDING, submit(stage("b", "x")));
    return ids;
  }

  @Test
  void jobsAreFoundByTheirState() {
    Map<JobState, JobId> ids = oneOfEach();
    ids.forEach(
        (state, id) -> {
          assertThat(store.state(id)).contains(state);
          assertThat(store.list(JobReader.Query.in(Set.of(state)))).containsExactly(id);
        });
    assertThat(store.list(JobReader.Query.in(Set.of()))).isEmpty();
    assertThat(store.list(JobReader.Query.in(Set.of(JobState.PENDING, JobState.FAILED))))
        .containsExactly(ids.get(JobState.FAILED), ids.get(JobState.PENDING));
    for (JobState state : JobState.values()) {
      assertThat(store.counts().getOrDefault(state, 0)).isEqualTo(ids.containsKey(state) ? 1 : 0);
    }
  }

  @Test
  void listsAreInOrderOfTimeAndKeepTheirNewestOrOldest() {
    List<JobId> ids = IntStream.range(0, 20).mapToObj(i -> submit(stage("a", "x"))).toList();
    assertThat(store.list(JobReader.Query.all())).isEqualTo(ids).isSorted();
    assertThat(store.list(JobReader.Query.all().newest(3))).isEqualTo(ids.subList(17, 20));
    assertThat(store.list(new JobReader.Query(ALL, null, null, false, 3)))
        .isEqualTo(ids.subList(0, 3));
    assertThat(store.list(JobReader.Query.all().newest(100))).isEqualTo(ids);
    crash();
    assertThat(store.list(JobReader.Query.all())).isEqualTo(ids);
  }

  @Test
  void jobsAreFoundByAPartOfTheirId() {
    JobId first = submit(stage("a", "x"));
    JobId second = submit(stage("a", "x"));
    complete(claimOne("a"), "done");
    for (JobId id : List.of(first, second)) {
      assertThat(store.list(JobReader.Query.all().idContaining(id.value()))).containsExactly(id);
      String time = id.value().substring(0, id.value().indexOf('_'));
      assertThat(store.list(JobReader.Query.all().idContaining(time))).contains(id);
    }
    assertThat(store.list(JobReader.Query.all().idContaining("_"))).containsExactly(first, second);
    assertThat(store.list(JobReader.Query.all().idContaining("_").newest(1)))
        .containsExactly(second);
    assertThat(store.list(JobReader.Query.all().idContaining(first.value() + "0"))).isEmpty();
  }

  @Test
  void jobsAreFoundByTheTimeInTheirId() {
    JobId first = submit(stage("a", "x"));
    clock.advance(Duration.ofSeconds(1));
    JobId second = submit(stage("a", "x"));
    JobReader.Query all = JobReader.Query.all();
    Instant made = Instant.EPOCH.plus(second.micros(), ChronoUnit.MICROS);
    assertThat(store.list(all.until(made))).containsExactly(first, second);
    assertThat(store.list(all.until(made.minus(1, ChronoUnit.MICROS)))).containsExactly(first);
    assertThat(store.list(all.until(made).beyond(first))).containsExactly(second);
    assertThat(store.list(all.until(made.minusSeconds(2)))).isEmpty();
  }

  @Test
  void jobsAreFoundByTagAndParent() {
    JobId parent = submit(stage("a", "x"));
    JobId red = store.submit(ContractJobs.tagged(job(stage("a", "x")), parent, "red", "round"));
    JobId blue = store.submit(ContractJobs.tagged(job(stage("a", "x")), parent, "blue"));
    JobId orphan = store.submit(ContractJobs.tagged(job(stage("a", "x")), null, "red"));
    for (int i = 0; i < 2; i++) {
      assertThat(store.list(new JobReader.Query(ALL, "red", null, false, 9)))
          .containsExactly(red, orphan);
      assertThat(store.list(new JobReader.Query(ALL, null, parent, false, 9)))
          .containsExactly(red, blue);
      assertThat(store.list(new JobReader.Query(ALL, "red", parent, false, 9)))
          .containsExactly(red);
      assertThat(store.list(new JobReader.Query(ALL, "Red", null, false, 9))).isEmpty();
      assertThat(store.list(new JobReader.Query(ALL, null, red, false, 9))).isEmpty();
      assertThat(store.list(new JobReader.Query(ALL, "red", null, true, 1)))
          .containsExactly(orphan);
      assertThat(store.list(new JobReader.Query(Set.of(JobState.PAUSED), "red", null, false, 9)))
          .isEmpty();
      crash();
    }
  }

  @Test
  void allReadsOfAnUnknownJobAreEmpty() {
    submit(stage("a", "x"));
    JobId nobody = new JobId("1_2_3");
    assertThat(store.state(nobody)).isEmpty();
    assertThat(store.find(nobody)).isEmpty();
    assertThat(store.spec(nobody)).isEmpty();
    assertThat(store.tasks(nobody, 1, 1, 10)).isEmpty();
    assertThat(store.events(nobody, 0, 10)).isEmpty();
  }

  @Test
  void tasksAreReadInPages() {
    JobId id = submit(ContractJobs.tasks("a", 5), stage("b", "x"));
    complete(claimOne("a"), "done");
    assertThat(store.tasks(id, 1, 1, 2)).extracting(TaskView::task).containsExactly(1, 2);
    assertThat(store.tasks(id, 1, 3, 2))
        .extracting(TaskView::input)
        .containsExactly("input 3", "input 4");
    assertThat(store.tasks(id, 1, 5, 2)).hasSize(1);
    assertThat(store.tasks(id, 1, 6, 2)).isEmpty();
    assertThat(store.tasks(id, 3, 1, 2)).isEmpty();
    assertThat(store.tasks(id, 0, 1, 2)).isEmpty();
    assertThat(task(id, 1, 1).result()).isEqualTo(TaskResult.of("done"));
    assertThat(task(id, 1, 2).result()).isNull();
    assertThat(task(id, 2, 1).stage()).isEqualTo(2);
  }

  @Test
  void eventsAreNumberedFromOneAndReadInPages() {
    JobId id = submit(ContractJobs.tasks("a", 3));
    workOff("a");
    List<LogEntry> all = events(id);
    assertThat(all)
        .extracting(LogEntry::number)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, all.size()).mapToObj(i -> (long) i).toList());
    assertThat(view(id).lastEvent()).isEqualTo(all.size());
    assertThat(store.events(id, 0, 2)).isEqualTo(all.subList(0, 2));
    assertThat(store.events(id, 2, 3)).isEqualTo(all.subList(2, 5));
    assertThat(store.events(id, all.size() - 1, 9))
        .isEqualTo(all.subList(all.size() - 1, all.size()));
    assertThat(store.events(id, all.size(), 9)).isEmpty();
    assertThat(store.events(id, all.size() + 100, 9)).isEmpty();
  }

  @Test
  void waitingForAChangeEndsWhenTheJobEnds() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          Thread worker = Thread.ofVirtual().start(() -> complete(claim, "done"));
          while (!state(id).isFinal()) {
            store.awaitChange(id, SECOND);
          }
          worker.join();
        });
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void pruneDeletesWhatEndedEarlierAndNothingElse() {
    Map<JobState, JobId> old = oneOfEach();
    clock.advance(MINUTE);
    JobId exactly = submit(stage("c", "x"));
    complete(claimOne("c"), "done");

    assertThat(store.prune(clock.instant(), Set.of(JobState.FAILED))).isEqualTo(1);
    assertThat(store.state(old.get(JobState.FAILED))).isEmpty();
    assertThat(store.prune(clock.instant(), ALL)).isEqualTo(2);
    assertThat(store.prune(clock.instant(), ALL)).isZero();
    assertThat(state(exactly)).isEqualTo(JobState.COMPLETED);
    for (JobState state : List.of(JobState.IN_PROGRESS, JobState.PAUSED, JobState.PENDING)) {
      assertThat(store.state(old.get(state))).contains(state);
    }
    assertThat(store.prune(clock.instant().plusNanos(1_000), ALL)).isEqualTo(1);
    assertThat(store.state(exactly)).isEmpty();
  }

  @Test
  void aPrunedJobStaysDeleted() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    complete(claim, "done");
    clock.advance(MINUTE);
    assertThat(store.prune(clock.instant(), Set.of(JobState.COMPLETED))).isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      assertThat(store.find(id)).isEmpty();
      assertThat(store.list(JobReader.Query.all())).isEmpty();
      assertThat(store.counts().values().stream().mapToInt(n -> n).sum()).isZero();
      assertThat(store.complete(claim, TaskResult.of("x"))).isInstanceOf(Outcome.Missing.class);
      assertThat(store.abort(id, ANNA)).isInstanceOf(Outcome.Missing.class);
      reopen();
    }
  }

  @Test
  void oneTaskIsReadByItsNumber() {
    JobId id = submit(stage("a", "x", "y"));
    complete(claimOne("a"), "done");
    assertThat(store.task(id, 1, 1)).contains(task(id, 1, 1));
    assertThat(store.task(id, 1, 2).orElseThrow().input()).isEqualTo("y");
    TaskView first = store.task(id, 1, 1).orElseThrow();
    assertThat(first.createdAt()).isEqualTo(view(id).createdAt());
    assertThat(first.updatedAt()).isEqualTo(clock.instant());
    for (int odd : new int[] {0, 3, -1, Integer.MAX_VALUE}) {
      assertThat(store.task(id, 1, odd)).isEmpty();
      assertThat(store.task(id, odd, 1)).isEmpty();
    }
    assertThat(store.task(new JobId("1_2_3"), 1, 1)).isEmpty();
  }

  @Test
  void aTaskSaysWhenItChangedAndUntilWhenItWaits() {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
    clock.advance(SECOND);
    Claim claim = claimOne("a");
    assertThat(claim.view()).isEqualTo(task(id, 1, 1));
    assertThat(claim.view().updatedAt()).isEqualTo(clock.instant());
    assertThat(claim.view().token()).isEqualTo(claim.key().token());
    clock.advance(SECOND);
    fail(claim, "broken");
    TaskView view = task(id, 1, 1);
    assertThat(view.updatedAt()).isEqualTo(clock.instant());
    assertThat(view.notBefore()).isEqualTo(clock.instant().plus(SECOND));
    assertThat(view.createdAt()).isEqualTo(view(id).createdAt());
    assertThat(view(id).updatedAt()).isEqualTo(clock.instant());
  }

  @Test
  void aListContinuesAfterThePreviousPage() {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      ids.add(submit(stage("a", "x")));
      clock.advance(SECOND);
    }
    store.abort(ids.get(3), ANNA);
    JobReader.Query open = JobReader.Query.in(Set.of(JobState.PENDING));
    List<JobId> left = new ArrayList<>(ids);
    left.remove(3);
    assertThat(store.list(open.oldest(2))).isEqualTo(left.subList(0, 2));
    assertThat(store.list(open.oldest(2).beyond(left.get(1)))).isEqualTo(left.subList(2, 4));
    assertThat(store.list(open.oldest(9).beyond(left.get(3)))).isEqualTo(left.subList(4, 6));
    assertThat(store.list(open.oldest(9).beyond(left.get(5)))).isEmpty();
    assertThat(store.list(open.newest(2))).isEqualTo(left.subList(4, 6));
    assertThat(store.list(open.newest(2).beyond(left.get(4)))).isEqualTo(left.subList(2, 4));
    assertThat(store.list(open.newest(9).beyond(left.get(1)))).isEqualTo(left.subList(0, 1));
    assertThat(store.list(open.newest(9).beyond(left.get(0)))).isEmpty();
    assertThat(store.list(open.oldest(9).beyond(ids.get(3))))
        .as("beyond a job that is not in the list itself")
        .isEqualTo(left.subList(3, 6));
    assertThat(store.list(open.newest(9).beyond(new JobId("1_2_3")))).isEmpty();
    assertThat(store.list(open.oldest(9).beyond(new JobId("1_2_3")))).isEqualTo(left);
  }

  @Test
  void queueStatsCountWaitingAndRunningTasks() {
    JobId first =
        submit(
            ContractJobs.with(ContractJobs.attempts(2), stage("a", "1", "2", "3")),
            stage("b", "4"));
    clock.advance(SECOND);
    JobId urgent =
        store.submit(ContractJobs.priority(Priority.HIGH, ContractJobs.job(stage("a", "5"))));
    JobId paused = submit(stage("a", "6", "7"));
    submit(ContractJobs.gate(stage("a", "8")));
    store.submit(ContractJobs.openJob(stage("a")));
    assertLines(
        new QueueStats.TypeStats("a", Priority.HIGH, 1, 1, 0, 0, view(urgent).createdAt()),
        new QueueStats.TypeStats("a", Priority.MEDIUM, 2, 5, 0, 0, view(first).createdAt()));
    complete(claimOne("a"), "done"); // the job with the high priority
    List<Claim> claims = claim(3, "a");
    fail(claims.getFirst(), "broken");
    claimOne("a");
    store.pause(paused, ANNA);
    assertLines(
        new QueueStats.TypeStats("a", Priority.MEDIUM, 1, 0, 1, 3, view(first).createdAt()));
    store.prioritize(first, Priority.LOW, ANNA);
    assertLines(
        new QueueStats.TypeStats("a", Priority.LOW, 1, 0, 1, 2, view(first).createdAt()),
        new QueueStats.TypeStats("a", Priority.MEDIUM, 0, 0, 0, 1, null));
    assertThat(store.queueStats().jobs())
        .containsEntry(JobState.PAUSED, 1)
        .isEqualTo(store.counts());
  }

  private void assertLines(QueueStats.TypeStats... lines) {
    assertThat(census().types()).containsExactlyInAnyOrder(lines);
  }

  /** Present statistics: a store may return some that are seconds old. */
  private QueueStats census() {
    clock.advance(Duration.ofSeconds(30));
    return store.queueStats();
  }

  @Test
  void anEmptyStoreHasEmptyQueueStats() {
    assertThat(store.queueStats().types()).isEmpty();
    assertThat(store.queueStats().jobs().values()).allSatisfy(n -> assertThat(n).isZero());
  }
}
