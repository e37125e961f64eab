package dev.millrace.store.fs.internal.claim;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Jobs that are passed over because of what is wrong with them. Thread-safe. */
public final class SkippedJobs {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final int MOST = 10_000;

  private final Set<JobId> reported = ConcurrentHashMap.newKeySet();

  /** Says so, once of each job. */
  void report(JobId id, RuntimeException e) {
    if (reported.size() < MOST && reported.add(id)) {
      if (e instanceof StoreException) {
        LOG.log(Level.ERROR, e.getMessage() + "; the job is left alone");
      } else {
        // Nothing that was thought of: whoever reads this needs to know where.
        LOG.log(Level.ERROR, "job " + id + " is left alone", e);
      }
    }
  }
}
