package dev.millrace.server.infer.run;

import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.server.TaskContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a generation down as it comes. The wheel only leaves tokens here; the task's own thread
 * takes them to the journal, the first at once and later ones at most every 20 ms together, so that
 * the wheel never waits for a disk.
 */
public final class TokenJournaler implements GenerationListener {
  private static final long APART_NANOS = 20_000_000;

  private final TaskContext task;
  private long written = System.nanoTime() - APART_NANOS; // of the task's thread
  private int alreadyJournaled; // guarded by this; tokens to come that the journal has
  private List<Integer> tokens = new ArrayList<>(); // guarded by this
  private StringBuilder text = new StringBuilder(); // guarded by this
  private boolean begun; // guarded by this; the journal does not say so yet
  private boolean ended; // guarded by this
  private boolean awaited; // guarded by this; whether the task's thread waits for a token

  /**
   * @param known how many of the first tokens the journal has already
   */
  public TokenJournaler(TaskContext task, int known) {
    this.task = task;
    this.alreadyJournaled = known;
  }

  @Override
  public synchronized void token(int id, String more, @Nullable Logprobs logprobs) {
    if (alreadyJournaled > 0) {
      alreadyJournaled--;
      return;
    }
    tokens.add(id);
    text.append(more);
    if (awaited) {
      notifyAll();
    }
  }

  @Override
  public synchronized void began() {
    begun = true;
    notifyAll();
  }

  @Override
  public synchronized void ended(GenerationResult result) {
    ended = true;
    notifyAll();
  }

  /**
   * Journals until the generation is over, and the rest. An interrupt is the server's word that the
   * task is to stop: then it is cancelled, and ends soon. However this ends, the generation has.
   */
  public GenerationResult journalUntilEnd(Generation generation) {
    try {
      boolean over = false;
      while (!over) {
        try {
          over = await();
        } catch (InterruptedException e) {
          generation.cancel();
        }
        write();
      }
    } catch (Throwable e) { // what it would still say could not be kept
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
        generation.cancel(); // which it has been told: it ends in a moment
      }
    }
  }

  /** Waits for a token, and then a little for more; true when there will be none. */
  private synchronized boolean await() throws InterruptedException {
    awaited = true;
    while (!ended && !begun && tokens.isEmpty()) {
      wait();
    }
    awaited = false;
    long until = written + APART_NANOS;
    for (long left = until - System.nanoTime();
        !ended && left > 0;
        left = until - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return ended;
  }

  private void write() {
    List<Integer> ids;
    StringBuilder said;
    boolean first;
    synchronized (this) {
      ids = tokens;
      said = text;
      first = begun;
      tokens = new ArrayList<>();
      text = new StringBuilder();
      begun = false;
    }
    if (ids.isEmpty()) {
      if (first) {
        task.journal(OutputChunk.EMPTY); // a crash from now on may be its doing
      }
      return;
    }
    task.journal(new OutputChunk(ids, said.toString()));
    task.progress();
    written = System.nanoTime();
  }
}
