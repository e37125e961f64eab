package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.JobPlan;
import dev.millrace.core.rules.Moves;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What must hold of every workspace at every moment. */
final class Checks {
  private Checks() {}

  /** Each job stands in one place, and its log adds up to what is shown, with nothing twice. */
  static void hold(Disk disk, Places places, Reading store) {
    Set<JobId> seen = new HashSet<>();
    for (JobState state : Places.ORDER) {
      for (String name : names(disk, places, state)) {
        JobId id = new JobId(name);
        assertThat(seen.add(id)).as("%s stands in one place only", id).isTrue();
        assertThat(store.state(id)).contains(state);
        logAddsUp(store, id);
      }
    }
  }

  static List<String> names(Disk disk, Places places, JobState state) {
    try {
      List<String> names = new ArrayList<>();
      disk.list(places.of(state), names::add);
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void logAddsUp(Reading store, JobId id) {
    JobView view = store.find(id).orElseThrow();
    JobSpec spec = store.spec(id).orElseThrow();
    List<Entry> entries = store.events(id, 0, Integer.MAX_VALUE);
    JobPlan plan = JobPlan.of(asked(spec, entries), view.createdAt());
    JobFold fold = JobFold.created(plan, Moves.IGNORED);
    Instant last = view.createdAt();
    Set<String> completed = new HashSet<>();
    for (Entry entry : entries) {
      assertThat(entry.at()).as("times of %s never run backwards", id).isAfterOrEqualTo(last);
      last = entry.at();
      fold.apply(entry); // refuses a gap in the numbers, and what no table allows
      if (entry.fact() instanceof Fact.OfTask(int stage, int task, TaskEvent event, _)
          && event == TaskEvent.COMPLETE) {
        assertThat(completed.add(stage + "/" + task)).as("%s completes once", id).isTrue();
      }
    }
    if (view.state() == JobState.IN_PROGRESS && fold.state() == JobState.PENDING) {
      // Its claim's rename survived a kill, its entry did not: a reader is shown what will follow.
      fold.apply(
          new Entry(fold.lastNumber() + 1, last, new Fact.OfJob(JobEvent.BEGIN, Cause.SYSTEM)));
    }
    JobView folded = JobView.of(JobHeader.of(id, spec), fold);
    // The place is right about the job: one that has ended may still have to be moved.
    assertThat(view)
        .as("%s is what its log adds up to", id)
        .isEqualTo(view.state() == folded.state() ? folded : folded.in(view.state()));
  }

  /** What was asked at first, without what was added since. */
  private static JobSpec asked(JobSpec whole, List<Entry> entries) {
    List<StageSpec> stages = new ArrayList<>(whole.stages());
    for (Entry entry : entries.reversed()) {
      if (entry.fact() instanceof Fact.StageAdded added) {
        assertThat(added.stage()).as("stages are added in order").isEqualTo(stages.size());
        stages.removeLast();
      } else if (entry.fact() instanceof Fact.TasksAdded(int stage, int tasks, _, _)) {
        StageSpec more = stages.get(stage - 1);
        int left = more.tasks().size() - tasks;
        stages.set(stage - 1, more.with(more.tasks().subList(0, left)));
      }
    }
    return whole.with(stages);
  }

  /** Claims of another life count for nothing. */
  static void fenced(JobStore store, List<Claim> claims) {
    if (claims.isEmpty()) {
      return;
    }
    Sight before = Sight.of(store);
    for (Claim claim : claims) {
      assertThat(store.complete(claim, TaskResult.of("late"))).isNotEqualTo(Answer.DONE);
      assertThat(store.fail(claim, Failure.of("late"))).isNotEqualTo(Answer.DONE);
      assertThat(store.release(claim, "late")).isNotEqualTo(Answer.DONE);
    }
    assertThat(Sight.of(store)).as("late answers change nothing").isEqualTo(before);
  }
}
