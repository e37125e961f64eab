package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import dev.millrace.engine.internal.wheel.AuditHook;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses sequences for audits, records their rows, and hands them over when they end. Its memory
 * is bounded: while it is full, no sequence is chosen, and a sequence that outgrows it is not
 * audited; both are counted.
 */
public final class OriginAuditRecorder implements AuditHook {
  /** A sequence that has ended and waits for its verdict. */
  record EndedSequence(
      AuditRecording recording, long epoch, int positions, Consumer<@Nullable String> verdict) {}

  /** Where ended sequences go. Must not block. */
  public interface EndedSequences {
    void add(EndedSequence ended);

    /** A sequence that waited for its verdict was dropped. */
    void dropped(int pipe, long sequence);
  }

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private record Key(int pipe, long sequence) {}

  private final double rate;
  private final int width;
  private final long maxBytes;
  private final OriginCounters counters;
  private final EndedSequences endedSequences;
  private final Map<Key, AuditRecording> recordings =
      new HashMap<>(); // used by the batch loop's thread
  private final AtomicLong bytes = new AtomicLong();
  private boolean full; // as last logged

  public OriginAuditRecorder(
      double rate,
      int width,
      long maxBytes,
      OriginCounters counters,
      EndedSequences endedSequences) {
    this.rate = rate;
    this.width = width;
    this.maxBytes = maxBytes;
    this.counters = counters;
    this.endedSequences = endedSequences;
  }

  @Override
  public boolean shouldAudit(long arrival) {
    if (rate <= 0 || ThreadLocalRandom.current().nextDouble() >= rate) {
      return false;
    }
    if (bytes.get() > maxBytes / 2) { // the other half is for running sequences to grow
      skip();
      return false;
    }
    full = false;
    return true;
  }

  /** A chosen sequence is not audited. */
  private void skip() {
    counters.auditsSkipped.increment();
    if (!full) {
      full = true;
      LOG.log(
          Level.WARNING,
          "the memory for audits ({0} MiB) is full: no further sequence is audited until others"
              + " end",
          maxBytes >> 20);
    }
  }

  @Override
  public void rowSent(int pipe, long sequence, int position, float[] hidden, int offset) {
    AuditRecording recording =
        recordings.computeIfAbsent(
            new Key(pipe, sequence), key -> new AuditRecording(pipe, sequence, width));
    if (recording.isGivenUp()) {
      return;
    }
    if (bytes.addAndGet(HiddenStates.bytes(width)) > maxBytes) {
      bytes.addAndGet(-HiddenStates.bytes(width));
      forget(recording);
      recording.giveUp();
    } else if (!recording.left(position, hidden, offset)) {
      bytes.addAndGet(-HiddenStates.bytes(width));
    }
  }

  @Override
  public void rowReturned(int pipe, long sequence, int position, float[] hidden, int offset) {
    AuditRecording recording = recordings.get(new Key(pipe, sequence));
    if (recording != null) {
      recording.rowReturned(position, RowHashRecorder.hash(hidden, offset, width));
    }
  }

  @Override
  public void sequenceEnded(
      int pipe, long epoch, long sequence, int positions, Consumer<@Nullable String> verdict) {
    AuditRecording recording = recordings.remove(new Key(pipe, sequence));
    if (recording != null && recording.isGivenUp()) {
      skip(); // it ends like a sequence that was not chosen
      verdict.accept(null);
      return;
    }
    if (recording == null || !recording.isComplete(positions)) {
      forget(recording);
      counters.auditsIncomplete.increment();
      verdict.accept("its audit has no verdict: the origin recorded only a part");
      return;
    }
    endedSequences.add(new EndedSequence(recording, epoch, positions, verdict));
  }

  @Override
  public void sequenceDropped(int pipe, long sequence) {
    AuditRecording recording = recordings.remove(new Key(pipe, sequence));
    if (recording == null) {
      endedSequences.dropped(pipe, sequence);
    }
    forget(recording);
  }

  /** Frees a recording. Any thread. */
  public void forget(@Nullable AuditRecording recording) {
    if (recording != null) {
      bytes.addAndGet(-HiddenStates.bytes(width) * recording.left().count());
    }
  }

  long bytes() {
    return bytes.get();
  }
}
