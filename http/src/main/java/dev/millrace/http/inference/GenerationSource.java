package dev.millrace.http.inference;

import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;

/** Starts answers. */
@FunctionalInterface
public interface GenerationSource {
  /** Waits for the model and starts an answer. */
  DirectGeneration generate(DirectRequest request) throws InterruptedException;
}
