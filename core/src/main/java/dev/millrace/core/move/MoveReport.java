package dev.millrace.core.move;

import dev.millrace.core.job.JobId;
import java.util.Map;

/**
 * What a move has done.
 *
 * @param moved jobs that it moved
 * @param alreadyThere jobs that an earlier, interrupted move had brought there
 * @param takenBack jobs that were on their way from TO to FROM, and stay in TO
 * @param deleted jobs that were deleted in FROM, where they were marked as moved
 * @param left jobs that stay in FROM, and why
 */
public record MoveReport(
    long moved, long alreadyThere, long takenBack, long deleted, Map<JobId, String> left) {}
