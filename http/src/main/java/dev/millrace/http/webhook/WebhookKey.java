package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;

/**
 * One of a job's webhooks; its events are told one after the other.
 *
 * @param hook its place among those of the job, from 0
 */
record WebhookKey(JobId job, int index) {}
