/**
 * Inference at once, without a job: a caller asks, gets the tokens as they come, and nothing is left
 * on disk. The parameters, the terms and the request to the engine are those of a generate task.
 * Start at {@link DirectInference}.
 */
@NullMarked
package dev.millrace.server.infer.direct;

import org.jspecify.annotations.NullMarked;
