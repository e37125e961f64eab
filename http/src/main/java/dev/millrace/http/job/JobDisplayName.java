package dev.millrace.http.job;

import dev.millrace.core.store.JobView;

/** The name of a job in responses that require one. */
public final class JobDisplayName {
  private JobDisplayName() {}

  /** Its own name, else the type of its first stage, else "job": never empty. */
  public static String of(JobView job) {
    String name = job.header().name();
    if (name != null) {
      return name;
    }
    return job.stages().isEmpty() ? "job" : job.stages().getFirst().type();
  }
}
