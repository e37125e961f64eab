package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;

/**
 * Identifies one webhook of a job. Its events are delivered one after the other.
 *
 * @param index among the webhooks of the job, from 0
 */
record WebhookKey(JobId job, int index) {}
