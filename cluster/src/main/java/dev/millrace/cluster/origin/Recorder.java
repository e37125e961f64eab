package dev.millrace.cluster.origin;

import dev.millrace.engine.pipe.Witness;
import dev.millrace.engine.wheel.Examiner;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses sequences for the audit, notes their rows, and hands them over when they end. All that is
 * noted takes a bounded memory: while there is no room, none is chosen, and a sequence that grows
 * beyond it goes unaudited; both are counted.
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

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private record Key(int pipe, long passage) {}

  private final double rate;
  private final int width;
  private final long maxBytes;
  private final Figures figures;
  private final Court court;
  private final Map<Key, Recording> recordings = new HashMap<>(); // of the wheels' thread
  private final AtomicLong bytes = new AtomicLong();
  private boolean full; // as it was said last

  Recorder(double rate, int width, long maxBytes, Figures figures, Court court) {
    this.rate = rate;
    this.width = width;
    this.maxBytes = maxBytes;
    this.figures = figures;
    this.court = court;
  }

  @Override
  public boolean chosen(long arrival) {
    if (rate <= 0 || ThreadLocalRandom.current().nextDouble() >= rate) {
      return false;
    }
    if (bytes.get() > maxBytes / 2) { // the other half is for those that run already to grow
      skip();
      return false;
    }
    full = false;
    return true;
  }

  /** One goes unaudited though its turn had come. */
  private void skip() {
    figures.auditsSkipped.increment();
    if (!full) {
      full = true;
      LOG.log(
          Level.WARNING,
          "the memory for audits ({0} MiB) is full: sequences go unaudited until others have ended",
          maxBytes >> 20);
    }
  }

  @Override
  public void left(int pipe, long passage, int position, float[] hidden, int offset) {
    Recording recording =
        recordings.computeIfAbsent(
            new Key(pipe, passage), key -> new Recording(pipe, passage, width));
    if (recording.isOutgrown()) {
      return;
    }
    if (bytes.addAndGet(Rows.bytes(width)) > maxBytes) {
      bytes.addAndGet(-Rows.bytes(width));
      forget(recording);
      recording.giveUp();
    } else if (!recording.left(position, hidden, offset)) {
      bytes.addAndGet(-Rows.bytes(width));
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
    if (recording != null && recording.isOutgrown()) {
      skip(); // it ends as if it had not been chosen
      verdict.accept(null);
      return;
    }
    if (recording == null || !recording.isWhole(positions)) {
      forget(recording);
      figures.auditsIncomplete.increment();
      verdict.accept("its audit has no verdict: not all of it was noted here");
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
