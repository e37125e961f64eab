package dev.millrace.server;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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

  /**
   * The trace that this attempt belongs to: its own span where the server makes one, else what the
   * task, its stage or its job came with; null if none came with any. May read the store.
   */
  default @Nullable TraceContext trace() {
    return claim().view().trace();
  }

  /** Which claim of this server it is, in claim order: who comes first should be served first. */
  long claimOrder();

  /** When this attempt will be stopped; empty if it may take as long as it likes. */
  Optional<Instant> deadline();

  /** Adds a line to the job's log. A line that cannot be kept does not fail the task. */
  void log(String line);

  /** The task got further: crashes of the server before this are forgiven. */
  void progress();

  /**
   * Keeps what this attempt settled, for all later ones: {@link Claim#frozenTerms}. What was journaled
   * before is dropped.
   *
   * @return false if the claim is gone, and with it the point of going on
   */
  boolean freeze(JsonObject terms);

  /**
   * Keeps output as it comes, for readers and for the next attempt: {@link Claim#journaledTokens}. Called by
   * one thread at a time, in order. A store that fails is waited for, so that nothing is missing in
   * the middle. A worker that has frozen its terms says with {@link OutputChunk#EMPTY} that it begins to
   * work by them: a crash of the server before that is not counted against the task.
   */
  void journal(OutputChunk piece);

  /** Whether a user holds the job. Work that can go on later should be released; other runs on. */
  boolean paused();

  /**
   * Calls {@code hook} once when {@link #paused} turns true, at once if it is. It runs on a thread
   * of the server and should only pass the word on.
   */
  void onPause(Runnable hook);

  /**
   * Says when it waits for something that is not here, such as another machine. A task that does
   * gives its slot to others, and needs none from then on; all else about it stays as it is.
   *
   * @param outside asked often, by a thread of the server; answers at once
   */
  void releaseSlotWhile(BooleanSupplier outside);

  /** Whether to stop: the job was aborted, time is over, the claim is lost, or the server stops. */
  boolean cancelled();

  /** Whether it is to stop because its time is over. */
  boolean timedOut();

  /**
   * Calls {@code hook} once when {@link #cancelled} turns true, at once if it is. It runs on a
   * thread of the server and should only pass the word on.
   */
  void onCancel(Runnable hook);
}
