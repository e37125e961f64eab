package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Jobs that claiming skips because they cannot be read. Thread-safe. */
final class SkippedJobs {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final int MOST = 10_000;

  private final Set<JobId> reported = ConcurrentHashMap.newKeySet();

  /** Logs the reason, once per job. */
  void report(JobId id, Throwable e) {
    if (reported.size() < MOST && reported.add(id)) {
      if (e instanceof StoreException) {
        LOG.log(Level.ERROR, e.getMessage() + "; the job is skipped");
      } else {
        // unexpected: the log needs the stack trace
        LOG.log(Level.ERROR, "job " + id + " is skipped", e);
      }
    }
  }
}
