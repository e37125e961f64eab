package dev.millrace.cluster.origin;

import dev.millrace.engine.pipe.Witness;
import dev.millrace.engine.wheel.Examiner;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses sequences for the audit, notes their rows, and hands them over when they end. All that is
 * noted takes a bounded memory: while there is no room, none is chosen, and a sequence that grows
 * beyond it goes unaudited.
 */
final class Recorder implements Examiner {
  /** A sequence that would end, and waits for its verdict. */
  record Ended(
      Recording recording, long epoch, int positions, Consumer<@Nullable String> verdict) {}

  /** Where ended sequences go. Must not block. */
  interface Court {
    void take(Ended ended);

    /** One that waited for its verdict is broken off. */
    void dropped(int pipe, long passage);
  }

  private record Key(int pipe, long passage) {}

  private final double rate;
  private final int width;
  private final long maxBytes;
  private final Figures figures;
  private final Court court;
  private final Map<Key, Recording> recordings = new HashMap<>(); // of the wheels' thread
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger exempt = new AtomicInteger();

  Recorder(double rate, int width, long maxBytes, Figures figures, Court court) {
    this.rate = rate;
    this.width = width;
    this.maxBytes = maxBytes;
    this.figures = figures;
    this.court = court;
  }

  @Override
  public boolean chosen(long arrival) {
    // half of the memory is for those that run already to grow
    if (rate <= 0 || bytes.get() > maxBytes / 2) {
      return false;
    }
    if (exempt.get() > 0 && exempt.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      return false;
    }
    return ThreadLocalRandom.current().nextDouble() < rate;
  }

  /** The next sequence is not audited: it is one that comes again because its audit failed. */
  void exemptNext() {
    exempt.incrementAndGet();
  }

  @Override
  public void left(int pipe, long passage, int position, float[] hidden, int offset) {
    Recording recording =
        recordings.computeIfAbsent(
            new Key(pipe, passage), key -> new Recording(pipe, passage, width));
    if (bytes.addAndGet(Rows.bytes(width)) > maxBytes) {
      bytes.addAndGet(-Rows.bytes(width));
      recording.giveUp();
    } else {
      recording.left(position, hidden, offset);
    }
  }

  @Override
  public void cameBack(int pipe, long passage, int position, float[] hidden, int offset) {
    Recording recording = recordings.get(new Key(pipe, passage));
    if (recording != null) {
      recording.cameBack(position, Witness.hash(hidden, offset, width));
    }
  }

  @Override
  public void ended(
      int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict) {
    Recording recording = recordings.remove(new Key(pipe, passage));
    if (recording == null || !recording.isWhole(positions)) {
      // it was too long for the memory there is: it ends as if it had not been chosen
      forget(recording);
      figures.auditsIncomplete.increment();
      verdict.accept(null);
      return;
    }
    court.take(new Ended(recording, epoch, positions, verdict));
  }

  @Override
  public void dropped(int pipe, long passage) {
    Recording recording = recordings.remove(new Key(pipe, passage));
    if (recording == null) {
      court.dropped(pipe, passage);
    }
    forget(recording);
  }

  /** What was noted is needed no more. For any thread. */
  void forget(@Nullable Recording recording) {
    if (recording != null) {
      bytes.addAndGet(-Rows.bytes(width) * recording.left().count());
    }
  }

  long bytes() {
    return bytes.get();
  }
}
