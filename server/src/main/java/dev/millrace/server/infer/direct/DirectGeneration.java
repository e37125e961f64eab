package dev.millrace.server.infer.direct;

import java.time.Duration;
import java.util.Optional;

/**
 * An answer that is being generated. One thread reads its events; any thread may cancel and close
 * it.
 */
public interface DirectGeneration extends AutoCloseable {
  /** The full name of the model. */
  String model();

  int promptTokens();

  /**
   * Waits for the next event.
   *
   * @return empty if none came in that time; none follows {@link AnswerEvent.Ended}
   */
  Optional<AnswerEvent> next(Duration atMost) throws InterruptedException;

  /** Ends it at most one token later; {@link AnswerEvent.Ended} still comes. */
  void cancel();

  /** Cancels what has not ended, and returns the model. */
  @Override
  void close();
}
