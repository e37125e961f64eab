package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.store.postgres.internal.rows.JobRow;

/** A job as it was at one moment. Nobody changes its fold. */
public record JobSnapshot(JobRow row, JobFold fold, long version) {}
