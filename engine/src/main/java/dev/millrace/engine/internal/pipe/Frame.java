package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * A message between nodes, as bytes: magic, version, length, kind, plan epoch, group; then the body
 * by kind; then the SHA-256 of everything before. Hidden states are sent as the exact bits of the
 * floats. The transport keeps forged frames out, not this class; still, everything in a frame is
 * checked, and no more is allocated for it than its own bytes need.
 */
public final class Frame {
  /** The kinds of frames. */
  public enum Kind {
    /**
     * A group with its next step: origin, step, layer, number of runs, of rows, width, runs
     * (passage, base, first, count, flags, pages), hidden states.
     */
    STEP,
    /** A group ended at another node: ending, reason. */
    ENDED,
    /** A passage is over: its data may be dropped. */
    FORGET
  }

  private static final int MAGIC = 0x4d526672; // MRfr
  private static final int VERSION = 2;
  private static final int HEAD = 4 + 4 + 4 + 1 + 8 + 8;
  static final int RUN = 8 + 4 + 4 + 4 + 1 + 4;
  private static final int CHECK = 32;
  private static final int LONGEST_TEXT = 4096; // bytes
  static final byte RECORDED = 1;

  private final ByteBuffer bytes;
  private final Kind kind;
  private final long epoch;
  private final long group;

  /** Reads the header of a frame; the body is read by the handler of its kind. */
  public Frame(ByteBuffer bytes) {
    this.bytes = bytes;
    int start = bytes.position();
    if (bytes.remaining() < HEAD + CHECK || bytes.getInt() != MAGIC || bytes.getInt() != VERSION) {
      throw malformed("does not begin as a frame of version " + VERSION);
    }
    int length = bytes.getInt();
    if (length != bytes.limit() - start) {
      throw malformed("says it has %d bytes, but has %d".formatted(length, bytes.limit() - start));
    }
    byte[] said = new byte[CHECK];
    bytes.get(bytes.limit() - CHECK, said);
    if (!MessageDigest.isEqual(said, hash(bytes.duplicate().position(start)))) {
      throw malformed("has another hash than it says");
    }
    int ordinal = bytes.get();
    if (ordinal < 0 || ordinal >= Kind.values().length) {
      throw malformed("is of an unknown kind");
    }
    kind = Kind.values()[ordinal];
    epoch = bytes.getLong();
    group = bytes.getLong();
    bytes.limit(bytes.limit() - CHECK);
    if (kind == Kind.FORGET && bytes.hasRemaining()) {
      throw malformed("has more than it should");
    }
  }

  /** Of all that remains but the hash itself. */
  private static byte[] hash(ByteBuffer sealed) {
    MessageDigest digest = RowHashRecorder.sha256();
    digest.update(sealed.limit(sealed.limit() - CHECK));
    return digest.digest();
  }

  public Kind kind() {
    return kind;
  }

  public long epoch() {
    return epoch;
  }

  /** The number of the group, or of the passage to be forgotten. */
  public long group() {
    return group;
  }

  /** The layer of the next step. */
  public int layer() {
    expect(Kind.STEP);
    return new StepReader(bytes.duplicate()).layer();
  }

  /** The next step of a group. */
  static ByteBuffer step(SequenceGroup group, Pipe pipe) {
    Batch batch = group.batch;
    SequenceStep step = group.step(0);
    byte[] origin = pipe.origin().getBytes(StandardCharsets.UTF_8);
    long size =
        4L
            + origin.length
            + 1
            + 4
            + 4
            + 4
            + 4
            + (long) batch.runs * RUN
            + 4L * batch.rows * batch.width;
    for (int run = 0; run < batch.runs; run++) {
      size += 4L * pagesOf(group, run);
    }
    ByteBuffer out = begin(Kind.STEP, pipe.epoch(), group.id(), size);
    out.putInt(origin.length)
        .put(origin)
        .put((byte) step.nextComputation().ordinal())
        .putInt(step.layer());
    out.putInt(batch.runs).putInt(batch.rows).putInt(batch.width);
    for (int run = 0; run < batch.runs; run++) {
      PipeSequence sequence = group.sequence(run);
      int pages = pagesOf(group, run);
      out.putLong(sequence.passage()).putInt(sequence.base()).putInt(group.firstPosition(run));
      out.putInt(batch.rowCount[run]).put(flags(sequence)).putInt(pages);
      out.asIntBuffer().put(batch.pages[run], 0, pages);
      out.position(out.position() + 4 * pages);
    }
    out.asFloatBuffer().put(batch.hidden, 0, batch.rows * batch.width);
    out.position(out.position() + 4 * batch.rows * batch.width);
    return seal(out);
  }

  static byte flags(PipeSequence sequence) {
    return sequence.isRecorded() ? RECORDED : 0;
  }

  static ByteBuffer ended(long group, long epoch, StepEnding ending) {
    byte[] reason = ending.reason().getBytes(StandardCharsets.UTF_8);
    reason = Arrays.copyOf(reason, Math.min(reason.length, LONGEST_TEXT));
    ByteBuffer out = begin(Kind.ENDED, epoch, group, 1L + 4 + reason.length);
    return seal(out.put((byte) ending.kind().ordinal()).putInt(reason.length).put(reason));
  }

  static ByteBuffer forget(long passage, long epoch) {
    return seal(begin(Kind.FORGET, epoch, passage, 0));
  }

  static int pagesOf(SequenceGroup group, int run) {
    return KvPageSize.countFor(group.firstPosition(run) + group.batch.rowCount[run]);
  }

  private static ByteBuffer begin(Kind kind, long epoch, long group, long size) {
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(HEAD + size + CHECK));
    out.putInt(MAGIC).putInt(VERSION).putInt(out.capacity());
    return out.put((byte) kind.ordinal()).putLong(epoch).putLong(group);
  }

  private static ByteBuffer seal(ByteBuffer out) {
    byte[] hash = hash(out.duplicate().position(0).limit(out.capacity()));
    return out.put(hash).flip();
  }

  /** Whether it reports that a step failed at a node, which ends its group. */
  public boolean isFailure() {
    return kind == Kind.ENDED && ending().kind() == StepEnding.Kind.FAILED;
  }

  /** The ending that a frame reports. */
  public StepEnding ending() {
    expect(Kind.ENDED);
    ByteBuffer in = bytes.duplicate();
    counted(in, 1, 1 + 4);
    int how = in.get();
    StepEnding ending =
        new StepEnding(
            how == StepEnding.Kind.RELEASED.ordinal()
                ? StepEnding.Kind.RELEASED
                : StepEnding.Kind.FAILED,
            text(in));
    if (how != ending.kind().ordinal() || in.hasRemaining()) {
      throw malformed("says of no ending that a node may give");
    }
    return ending;
  }

  /** The origin of the step. */
  String origin() {
    expect(Kind.STEP);
    return text(bytes.duplicate());
  }

  private static String text(ByteBuffer in) {
    byte[] text = new byte[textLength(in)];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  static int textLength(ByteBuffer in) {
    counted(in, 1, 4);
    int length = counted(in, in.getInt(), 1);
    if (length > LONGEST_TEXT) {
      throw malformed("has a text of %d bytes".formatted(length));
    }
    return length;
  }

  /** Makes the group of a step that came from another node. */
  SequenceGroup toGroup(TransitionCounts counts) {
    expect(Kind.STEP);
    return new StepReader(bytes.duplicate()).group(group, counts);
  }

  /**
   * Returns a group that was sent to other nodes, with the same runs: it takes the hidden states of
   * the frame and begins the step that follows where the pipe returns to its origin. Nothing is
   * taken from a frame with any other content.
   */
  void returnTo(SequenceGroup home, Pipe pipe) {
    expect(Kind.STEP);
    new StepReader(bytes.duplicate()).returnTo(home, pipe);
  }

  /** Checks a count of items of that many bytes each; rejected if the frame is too short. */
  static int counted(ByteBuffer in, int count, int each) {
    if (count < 0 || (long) count * each > in.remaining()) {
      throw malformed("says it has %d of something, and ends before".formatted(count));
    }
    return count;
  }

  private void expect(Kind expected) {
    if (kind != expected) {
      throw new IllegalStateException("a frame of kind " + kind + ", not " + expected);
    }
  }

  static EngineException malformed(String how) {
    return new EngineException(
        "frame between nodes " + how + "; it is dropped, its sequences are to be rebuilt");
  }
}
