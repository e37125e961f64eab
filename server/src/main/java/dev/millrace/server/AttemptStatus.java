package dev.millrace.server;

import dev.millrace.core.task.OutputChunk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Follows one attempt in memory, so that nobody reads its journal to show it. Its output mirrors the
 * journal. Thread-safe; {@link #prompt} is called by the engine's thread and never waits.
 */
final class AttemptStatus {
  /** The most characters of the text that are kept. */
  static final int MAX_TAIL = 300;

  private static final long RATE_NANOS = 5_000_000_000L;
  private static final long MARK_NANOS = 250_000_000;

  /** The tokens of this attempt alone at a time. */
  private record Mark(long nanos, long tokens) {}

  private final StringBuilder tail = new StringBuilder(); // guarded by this, as are those below
  private final Deque<Mark> marks = new ArrayDeque<>();
  private long length;
  private long tokens;
  private long added;
  private volatile TaskPhase phase = TaskPhase.RUNNING;
  private volatile @Nullable String model;
  private volatile LongAdder counter = new LongAdder();
  private volatile long prompt; // done in the upper half, total in the lower

  /**
   * @param earlier what earlier attempts journaled
   */
  AttemptStatus(OutputChunk earlier) {
    append(earlier);
  }

  /** Counts the tokens that come without a model of this server. */
  void countInto(LongAdder newCounter) {
    counter = newCounter;
  }

  void phase(TaskPhase now, @Nullable String newModel) {
    phase = now;
    if (newModel != null) {
      model = newModel;
    }
  }

  void prompt(int done, int total) {
    prompt = (long) done << 32 | total & 0xFFFFFFFFL;
    if (done > 0) {
      phase = TaskPhase.PREFILL;
    }
  }

  /** The chunk is journaled. */
  synchronized void journaled(OutputChunk chunk, long nanos) {
    if (chunk.waits()) {
      phase = TaskPhase.STARTING;
      return;
    }
    if (chunk.isEmpty()) {
      phase = phase == TaskPhase.STARTING ? TaskPhase.PREFILL : phase;
      return;
    }
    phase = TaskPhase.GENERATE;
    if (marks.isEmpty() || nanos - marks.getLast().nanos() >= MARK_NANOS) {
      marks.addLast(new Mark(nanos, added));
    }
    append(chunk);
    added += chunk.tokens().size();
    if (model == null) {
      counter.add(chunk.tokens().size());
    }
    forgetMarks(nanos);
  }

  private void append(OutputChunk chunk) {
    String text = chunk.text();
    length += text.length();
    tokens += chunk.tokens().size();
    tail.append(text, Math.max(0, text.length() - MAX_TAIL), text.length());
    if (tail.length() > MAX_TAIL) {
      tail.delete(0, tail.length() - MAX_TAIL);
    }
  }

  /** The journal is gone; the output restarts. */
  synchronized void restart() {
    tail.setLength(0);
    length = 0;
    tokens = 0;
  }

  /** Keeps the last mark before the time that counts. */
  private void forgetMarks(long nanos) {
    while (marks.size() > 1 && nanos - marks.getFirst().nanos() > RATE_NANOS) {
      marks.removeFirst();
    }
  }

  private double rate(long nanos) {
    forgetMarks(nanos);
    if (marks.isEmpty()) {
      return 0;
    }
    Mark first = marks.getFirst();
    long passed = Math.max(MARK_NANOS, nanos - first.nanos());
    return (added - first.tokens()) * 1e9 / passed;
  }

  synchronized TaskProgress now(long nanos) {
    long at = prompt;
    int total = (int) at;
    int done = phase == TaskPhase.GENERATE ? total : (int) (at >>> 32); // its last part is not told
    return new TaskProgress(phase, model, done, total, tokens, rate(nanos), text(), length);
  }

  /** Does not begin with the second half of a character. */
  private String text() {
    boolean cut = !tail.isEmpty() && Character.isLowSurrogate(tail.charAt(0));
    return cut ? tail.substring(1) : tail.toString();
  }
}
