package dev.millrace.server.infer.run;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.server.StopSignal;
import dev.millrace.server.TaskContext;
import dev.millrace.server.infer.run.OutputRecorder.CopiedLogprobs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Journals the tokens of a generation as they come. The engine's thread only queues tokens here;
 * the task's thread journals them, the first at once and later ones in groups at most every 20 ms.
 * So the engine never waits for a disk. While the store fails, tokens wait here, up to a limit: then
 * the generation is released, and {@link #isFull} says that another may continue it.
 */
public final class TokenJournaler implements GenerationListener {
  /** The most tokens of one task that wait for the store. */
  static final int MAX_WAITING = 4_096;

  private static final long INTERVAL_NANOS = 20_000_000;

  private final TaskContext task;
  private final OutputRecorder recorder;
  private final int limit;
  private long lastWrite = System.nanoTime() - INTERVAL_NANOS; // used by the task's thread only
  private int alreadyJournaled; // guarded by this; next tokens that the journal already has
  private List<Integer> tokens = new ArrayList<>(); // guarded by this
  private List<String> pieces = new ArrayList<>(); // guarded by this; one for each token
  private int waiting; // guarded by this; tokens that are not journaled yet
  private boolean full; // guarded by this
  private @Nullable Generation generation; // guarded by this; null: not known yet
  private boolean begun; // guarded by this; not journaled yet
  private boolean ended; // guarded by this
  private boolean awaited; // guarded by this; whether the task's thread waits for a token

  /**
   * @param alreadyJournaled how many of the first tokens the journal already has
   * @param recorder gets all tokens
   * @param limit the most tokens that wait, and a few that are on their way
   */
  TokenJournaler(TaskContext task, int alreadyJournaled, OutputRecorder recorder, int limit) {
    this.task = task;
    this.limit = limit;
    this.recorder = recorder;
    this.alreadyJournaled = alreadyJournaled;
  }

  @Override
  public synchronized void token(int id, String more, @Nullable Logprobs logprobs) {
    recorder.add(more, logprobs == null ? null : CopiedLogprobs.of(id, logprobs));
    if (alreadyJournaled > 0) {
      alreadyJournaled--;
      return;
    }
    tokens.add(id);
    pieces.add(more);
    waiting++;
    releaseIfFull();
    if (awaited) {
      notifyAll();
    }
  }

  /** Says which generation is released if too many tokens wait; call it at once. */
  synchronized void limit(Generation started) {
    generation = started;
    releaseIfFull();
  }

  private void releaseIfFull() {
    if (waiting >= limit && generation != null) {
      full = true;
      generation.release(); // which takes effect later, on this or another thread
    }
  }

  /** Whether the generation was released because too many tokens waited. */
  synchronized boolean isFull() {
    return full;
  }

  @Override
  public synchronized void began() {
    begun = true;
    notifyAll();
  }

  @Override
  public void progress(int done, int total) {
    task.promptProgress(done, total);
  }

  @Override
  public synchronized void ended(GenerationResult result) {
    ended = true;
    notifyAll();
  }

  /**
   * Journals until the generation has ended, also if it is interrupted: the task's {@link
   * StopSignal} has cancelled the generation before that, so it ends soon. The generation has ended
   * when this returns or throws.
   */
  GenerationResult journalUntilEnd(Generation generation) {
    try {
      boolean ended = false;
      while (!ended) {
        try {
          ended = await();
        } catch (InterruptedException e) {
          ended = false; // it ends soon
        }
        write();
      }
    } catch (Throwable e) { // further output could not be journaled
      generation.cancel();
      end(generation);
      throw e;
    }
    return end(generation);
  }

  private static GenerationResult end(Generation generation) {
    while (true) {
      try {
        return generation.await();
      } catch (InterruptedException e) {
        // it is cancelled and ends soon
      }
    }
  }

  /** Waits for a token, and a little longer for more; true if the generation has ended. */
  private synchronized boolean await() throws InterruptedException {
    awaited = true;
    while (!ended && !begun && tokens.isEmpty()) {
      wait();
    }
    awaited = false;
    long until = lastWrite + INTERVAL_NANOS;
    for (long left = until - System.nanoTime();
        !ended && left > 0;
        left = until - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return ended;
  }

  private void write() {
    List<Integer> ids;
    List<String> texts;
    boolean first;
    synchronized (this) {
      ids = tokens;
      texts = pieces;
      first = begun;
      tokens = new ArrayList<>();
      pieces = new ArrayList<>();
      begun = false;
    }
    if (ids.isEmpty()) {
      if (first) {
        task.journal(OutputChunk.EMPTY); // from now on, a crash counts against the task
      }
      return;
    }
    task.journal(new OutputChunk(ids, texts));
    task.progress();
    journaled(ids.size());
    lastWrite = System.nanoTime();
  }

  private synchronized void journaled(int count) {
    waiting -= count;
  }
}
