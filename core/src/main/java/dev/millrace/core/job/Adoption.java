package dev.millrace.core.job;

import java.time.Instant;

/**
 * Where the result of an adopted task was produced: a retry took it over from there.
 *
 * @param job the job whose worker sent the result; if that was adopted again, still that job
 * @param task the number of the task there, in the stage with the same number
 * @param submittedAt when that job was submitted: the clock of its chat templates
 */
public record Adoption(JobId job, int task, Instant submittedAt) {}
