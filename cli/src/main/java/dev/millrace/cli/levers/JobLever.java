package dev.millrace.cli.levers;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Lever;

/**
 * A lever and the job that it is for.
 *
 * @param success what happened to the job if it is done
 */
record JobLever(JobId job, Lever lever, String success) {}
