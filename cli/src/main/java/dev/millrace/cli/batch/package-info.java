/**
 * {@code millrace batch}: answers a file of OpenAI batch requests. The file becomes a durable job
 * with a task for each line; lines that are added, changed or retried become further jobs, and
 * {@link BatchHistory} finds which task answers which line. The output has a line for each request.
 * Start at {@link BatchCommand}, then {@link BatchRun}.
 */
@NullMarked
package dev.millrace.cli.batch;

import org.jspecify.annotations.NullMarked;
