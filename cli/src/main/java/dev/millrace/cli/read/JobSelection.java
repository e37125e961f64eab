package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.place.JobIdLookup;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Selects jobs by tag, by parent, or by either of the two if both are given. */
record JobSelection(@Nullable String tag, @Nullable JobId parent) {
  private static final Set<JobState> EVERYWHERE = EnumSet.allOf(JobState.class);
  private static final Set<JobState> ACTIVE = EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS);
  private static final Set<JobState> FAILURES = EnumSet.of(JobState.FAILED, JobState.ABORTED);

  static JobSelection of(Arguments given, Place place) {
    String tag = given.get(FlowCommand.TAG);
    String children = given.get(FlowCommand.CHILDREN);
    try {
      return new JobSelection(
          tag == null ? null : JobSpec.requireTag(tag),
          children == null ? null : JobIdLookup.find(place, children));
    } catch (IllegalArgumentException e) {
      throw new UsageException("Invalid tag: " + e.getMessage());
    }
  }

  private TreeSet<JobId> in(JobReader reader, Set<JobState> states) {
    TreeSet<JobId> ids = new TreeSet<>();
    if (tag != null) {
      ids.addAll(reader.list(query(states, tag, null)));
    }
    if (parent != null) {
      ids.addAll(reader.list(query(states, null, parent)));
    }
    return ids;
  }

  private static JobReader.Query query(
      Set<JobState> states, @Nullable String tag, @Nullable JobId parent) {
    return new JobReader.Query(states, tag, parent, false, Integer.MAX_VALUE);
  }

  /**
   * Prints the ids, or one object for each job. The exit status of the latter is 1 if one failed.
   */
  int print(Shell shell, Place place, boolean json) {
    JobReader reader = place.reader();
    int status = ExitCode.OK;
    for (JobId id : in(reader, EVERYWHERE)) {
      if (!json) {
        shell.out().println(id);
        continue;
      }
      JobJson job = JobJson.read(place, reader, id);
      shell.out().println(Json.write(job.json()));
      if (job.status().isFinal() && job.status() != Status.DONE) {
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  /** Waits until none of them is queued or running; silently, if nothing is in the way. */
  int await(Shell shell, Place place, WaitLimit limit) throws InterruptedException {
    JobReader reader = place.reader();
    WaitNotices notices = new WaitNotices(shell, place);
    for (TreeSet<JobId> active = in(reader, ACTIVE);
        !active.isEmpty();
        active = in(reader, ACTIVE)) {
      if (limit.isReached()) {
        shell
            .err()
            .println(
                "gave up waiting: "
                    + NumberText.of(active.size(), "job")
                    + (active.size() == 1 ? " is" : " are")
                    + " not finished");
        return ExitCode.NOT_READY;
      }
      notices.about(active.last());
      JobWaiter.awaitInactive(reader, active.last(), limit);
    }
    return in(reader, FAILURES).isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
