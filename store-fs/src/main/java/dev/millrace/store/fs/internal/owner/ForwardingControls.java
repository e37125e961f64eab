package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.read.ForwardingReader;
import java.time.Instant;
import java.util.Set;

/** Forwards all levers to other controls. */
public abstract class ForwardingControls extends ForwardingReader implements JobControls {
  protected abstract JobControls controls();

  @Override
  public final Outcome apply(JobId id, Lever lever, Cause cause) {
    return controls().apply(id, lever, cause);
  }

  @Override
  public final int prune(Instant before, Set<JobState> states) {
    return controls().prune(before, states);
  }
}
