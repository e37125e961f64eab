package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * What nodes send each other, as bytes: magic, version, length, kind, plan epoch, group; then by
 * kind; then the SHA-256 of all before. Hidden states are the very bits of the floats. Whoever may
 * forge frames is kept out by the hop, not here; what a frame says is checked all the same, and no
 * more is allocated for it than its own bytes call for.
 */
public final class Frame {
  /** What a frame says. */
  public enum Kind {
    /**
     * A group with a due step: origin, step, layer, number of runs, of rows, width, runs (passage,
     * base, first, count, flags, pages), hidden states.
     */
    STEP,
    /** The group named ended at another node: ending, reason. */
    ENDED,
    /** A passage is over: what is kept for it may go. */
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

  /** Reads a frame's head; the rest is read by those whom the kind concerns. */
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

  /** The group's number, or the passage's where one is to be forgotten. */
  public long group() {
    return group;
  }

  /** The layer that a step is due at. */
  public int layer() {
    expect(Kind.STEP);
    return new StepReader(bytes.duplicate()).layer();
  }

  /** The group's next step, as its walks say. */
  static ByteBuffer step(SequenceGroup group, Pipe pipe) {
    Batch batch = group.batch;
    SequenceStep walk = group.sequence(0).step();
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
        .put((byte) walk.computeStep().ordinal())
        .putInt(walk.layer());
    out.putInt(batch.runs).putInt(batch.rows).putInt(batch.width);
    for (int run = 0; run < batch.runs; run++) {
      PipeSequence traveller = group.sequence(run);
      int pages = pagesOf(group, run);
      out.putLong(traveller.passage()).putInt(traveller.base()).putInt(group.firstPosition(run));
      out.putInt(batch.rowCount[run]).put(flags(traveller)).putInt(pages);
      out.asIntBuffer().put(batch.pages[run], 0, pages);
      out.position(out.position() + 4 * pages);
    }
    out.asFloatBuffer().put(batch.hidden, 0, batch.rows * batch.width);
    out.position(out.position() + 4 * batch.rows * batch.width);
    return seal(out);
  }

  static byte flags(PipeSequence traveller) {
    return traveller.isRecorded() ? RECORDED : 0;
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
    return KvPages.countFor(group.firstPosition(run) + group.batch.rowCount[run]);
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

  /** Whether it says that a step failed at a node, which then ends its group. */
  public boolean isFailure() {
    return kind == Kind.ENDED && ending().kind() == StepEnding.Kind.FAILED;
  }

  /** The ending of a frame that says one. */
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

  /** Whose step it is. */
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
  SequenceGroup toGroup(TransitionCounts tally) {
    expect(Kind.STEP);
    return new StepReader(bytes.duplicate()).group(group, tally);
  }

  /**
   * Brings back a group that was sent away, runs and all as they went: its hidden states are those
   * of the frame, and its walks begin anew with the step that is due where the pipe comes back to
   * its origin. Of a frame that brings anything else nothing is taken.
   */
  void returnTo(SequenceGroup home, Pipe pipe) {
    expect(Kind.STEP);
    new StepReader(bytes.duplicate()).returnTo(home, pipe);
  }

  /** So many of that many bytes each; refused where the frame ends before. */
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
