package dev.millrace.engine.api;

import java.time.Duration;
import java.util.Optional;

/** A submitted request, as its submitter holds it. Any thread may use it. */
public interface Generation {
  /**
   * Ends the generation with {@link FinishReason#CANCELLED}, at most one token later. A sequence
   * that other nodes are computing ends when they return it or are given up. Does nothing after the
   * end.
   */
  void cancel();

  /**
   * Ends the generation with {@link FinishReason#RELEASED}, as soon as {@link #cancel} would.
   * Another generation can resume from its tokens.
   */
  void release();

  boolean isDone();

  /** The result; empty before the end. */
  Optional<GenerationResult> result();

  /** Waits for the end. */
  GenerationResult await() throws InterruptedException;

  /** Waits for the end, at most for the given time; empty if the time runs out. */
  Optional<GenerationResult> await(Duration limit) throws InterruptedException;
}
