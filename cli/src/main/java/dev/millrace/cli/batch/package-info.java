/**
 * {@code millrace batch}: answers a file of OpenAI batch requests. The file becomes one durable job
 * with a task for each line; the output has a line for each request. Start at {@link BatchCommand},
 * then {@link BatchRun}.
 */
@NullMarked
package dev.millrace.cli.batch;

import org.jspecify.annotations.NullMarked;
