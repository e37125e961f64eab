package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.Reading;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The jobs with a tag or a parent; with both, those with either. */
record FlowSelection(@Nullable String tag, @Nullable JobId parent) {
  private static final Set<JobState> EVERYWHERE = EnumSet.allOf(JobState.class);
  private static final Set<JobState> ACTIVE = EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS);
  private static final Set<JobState> FAILURES = EnumSet.of(JobState.FAILED, JobState.ABORTED);

  static FlowSelection of(Arguments given) {
    String tag = given.get(FlowCommand.TAG);
    String children = given.get(FlowCommand.CHILDREN);
    try {
      return new FlowSelection(
          tag == null ? null : JobSpec.requireTag(tag),
          children == null ? null : Workspaces.id(children));
    } catch (IllegalArgumentException e) {
      throw new UsageException("Invalid tag: " + e.getMessage());
    }
  }

  private TreeSet<JobId> in(Reading reading, Set<JobState> states) {
    TreeSet<JobId> ids = new TreeSet<>();
    if (tag != null) {
      ids.addAll(reading.list(query(states, tag, null)));
    }
    if (parent != null) {
      ids.addAll(reading.list(query(states, null, parent)));
    }
    return ids;
  }

  private static Reading.Query query(
      Set<JobState> states, @Nullable String tag, @Nullable JobId parent) {
    return new Reading.Query(states, tag, parent, false, Integer.MAX_VALUE);
  }

  /** Prints the ids, or one object for each job; then 1 means that one of them failed. */
  int print(Shell shell, Place place, boolean json) {
    Reading reading = place.reading();
    int status = ExitCode.OK;
    for (JobId id : in(reading, EVERYWHERE)) {
      if (!json) {
        shell.out().println(id);
        continue;
      }
      JobObject job = JobObject.read(place, reading, id);
      shell.out().println(Json.write(job.json()));
      if (job.status().isFinal() && job.status() != Status.DONE) {
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  /** Waits until none of them is queued or running; says nothing. */
  int await(Reading reading) throws InterruptedException {
    for (TreeSet<JobId> active = in(reading, ACTIVE);
        !active.isEmpty();
        active = in(reading, ACTIVE)) {
      Waiting.whileActive(reading, active.last());
    }
    return in(reading, FAILURES).isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
