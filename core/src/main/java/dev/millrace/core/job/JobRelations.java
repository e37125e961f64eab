package dev.millrace.core.job;

import org.jspecify.annotations.Nullable;

/**
 * The other jobs that a job refers to.
 *
 * @param parent the job that this one belongs to; readers can select by it
 * @param retryOf the ended job that this one runs again
 */
public record JobRelations(@Nullable JobId parent, @Nullable JobId retryOf) {
  public static final JobRelations NONE = new JobRelations(null, null);
}
