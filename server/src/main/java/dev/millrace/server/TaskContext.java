package dev.millrace.server;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A task as its worker sees it. Thread-safe: a worker may hand it to threads of its own. */
public interface TaskContext {

  /** Which task, of which job, under which fencing token. */
  Claim claim();

  /** The input as text; anything else than text as JSON. */
  default String text() {
    return claim().inputText();
  }

  /** The input: text, or any JSON value. */
  default @Nullable Object input() {
    return claim().input();
  }

  /** The parameters of the stage. */
  default JsonObject data() {
    return claim().data();
  }

  /** Which attempt this is, from 1. */
  default int attempt() {
    return claim().attempt();
  }

  /** When this attempt will be stopped; empty if it may take as long as it likes. */
  Optional<Instant> deadline();

  /** Adds a line to the job's log. A line that cannot be kept does not fail the task. */
  void log(String line);

  /** The task got further: crashes of the server before this are forgiven. */
  void progress();

  /** Whether a user holds the job. Work that can go on later should be released; other runs on. */
  boolean paused();

  /** Whether to stop: the job was aborted, time is over, the claim is lost, or the server stops. */
  boolean cancelled();

  /**
   * Calls {@code hook} once when {@link #cancelled} turns true, at once if it is. It runs on a
   * thread of the server and should only pass the word on.
   */
  void onCancel(Runnable hook);
}
