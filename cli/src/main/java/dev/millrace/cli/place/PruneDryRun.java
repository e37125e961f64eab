package dev.millrace.cli.place;

import dev.millrace.core.job.JobId;
import java.util.List;
import java.util.Map;

/**
 * What a deletion of old jobs would do.
 *
 * @param ids the jobs that would be deleted, oldest first
 * @param unreadable jobs that could not be judged, and why
 */
public record PruneDryRun(List<JobId> ids, Map<JobId, String> unreadable) {}
