package dev.millrace.core.move;

import dev.millrace.core.job.JobId;

/**
 * A job that no reader and no worker of its store sees any more.
 *
 * @param ticket of this move of the job: its copy in the other store has the same
 * @param arrived whether it is marked as moved; else this store may have the only copy
 */
public record TakenOutJob(JobId id, String ticket, MoveDestination to, boolean arrived) {}
