package dev.millrace.server.http.hooks;

import dev.millrace.core.job.JobId;

/**
 * One of a job's webhooks; its events are told one after the other.
 *
 * @param hook its place among those of the job, from 0
 */
record HookLine(JobId job, int hook) {}
