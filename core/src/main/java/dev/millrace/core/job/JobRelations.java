package dev.millrace.core.job;

import org.jspecify.annotations.Nullable;

/**
 * Where a job comes from: the other jobs that it refers to, and who submitted it.
 *
 * @param parent the job that this one belongs to; readers can select by it
 * @param retryOf the ended job that this one runs again
 * @param submittedBy the name of the API key that submitted it; null if it came without one, as
 *     those of commands do. No document that a user writes has it
 */
public record JobRelations(
    @Nullable JobId parent, @Nullable JobId retryOf, @Nullable String submittedBy) {
  public static final JobRelations NONE = new JobRelations(null, null, null);
}
