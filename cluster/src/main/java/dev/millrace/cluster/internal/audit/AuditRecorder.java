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
 * Chooses sequences for the audit, notes their rows, and hands them over when they end. All that is
 * noted takes a bounded memory: while there is no room, none is chosen, and a sequence that grows
 * beyond it goes unaudited; both are counted.
 */
public final class AuditRecorder implements AuditHook {
  /** A sequence that would end, and waits for its verdict. */
  record EndedSequence(
      AuditRecording recording, long epoch, int positions, Consumer<@Nullable String> verdict) {}

  /** Where ended sequences go. Must not block. */
  public interface EndedSequences {
    void add(EndedSequence ended);

    /** One that waited for its verdict is broken off. */
    void dropped(int pipe, long passage);
  }

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private record Key(int pipe, long passage) {}

  private final double rate;
  private final int width;
  private final long maxBytes;
  private final OriginCounters figures;
  private final EndedSequences court;
  private final Map<Key, AuditRecording> recordings = new HashMap<>(); // of the wheels' thread
  private final AtomicLong bytes = new AtomicLong();
  private boolean full; // as it was said last

  public AuditRecorder(
      double rate, int width, long maxBytes, OriginCounters figures, EndedSequences court) {
    this.rate = rate;
    this.width = width;
    this.maxBytes = maxBytes;
    this.figures = figures;
    this.court = court;
  }

  @Override
  public boolean shouldAudit(long arrival) {
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
  public void rowSent(int pipe, long passage, int position, float[] hidden, int offset) {
    AuditRecording recording =
        recordings.computeIfAbsent(
            new Key(pipe, passage), key -> new AuditRecording(pipe, passage, width));
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
  public void rowReturned(int pipe, long passage, int position, float[] hidden, int offset) {
    AuditRecording recording = recordings.get(new Key(pipe, passage));
    if (recording != null) {
      recording.cameBack(position, RowHashRecorder.hash(hidden, offset, width));
    }
  }

  @Override
  public void sequenceEnded(
      int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict) {
    AuditRecording recording = recordings.remove(new Key(pipe, passage));
    if (recording != null && recording.isGivenUp()) {
      skip(); // it ends as if it had not been chosen
      verdict.accept(null);
      return;
    }
    if (recording == null || !recording.isComplete(positions)) {
      forget(recording);
      figures.auditsIncomplete.increment();
      verdict.accept("its audit has no verdict: not all of it was noted here");
      return;
    }
    court.add(new EndedSequence(recording, epoch, positions, verdict));
  }

  @Override
  public void sequenceDropped(int pipe, long passage) {
    AuditRecording recording = recordings.remove(new Key(pipe, passage));
    if (recording == null) {
      court.dropped(pipe, passage);
    }
    forget(recording);
  }

  /** What was noted is needed no more. For any thread. */
  public void forget(@Nullable AuditRecording recording) {
    if (recording != null) {
      bytes.addAndGet(-HiddenStates.bytes(width) * recording.left().count());
    }
  }

  long bytes() {
    return bytes.get();
  }
}
