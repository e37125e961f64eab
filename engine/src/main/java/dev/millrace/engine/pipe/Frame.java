package dev.millrace.engine.pipe;

import dev.millrace.engine.EngineException;
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
  private static final int RUN = 8 + 4 + 4 + 4 + 1 + 4;
  private static final int CHECK = 32;
  private static final int LONGEST_TEXT = 4096; // bytes
  private static final byte RECORDED = 1;

  private final ByteBuffer bytes;
  private final Kind kind;
  private final long epoch;
  private final long group;

  /** Reads a frame's head; the rest is read by those whom the kind concerns. */
  public Frame(ByteBuffer bytes) {
    this.bytes = bytes;
    int start = bytes.position();
    if (bytes.remaining() < HEAD + CHECK || bytes.getInt() != MAGIC || bytes.getInt() != VERSION) {
      throw broken("does not begin as a frame of version " + VERSION);
    }
    int length = bytes.getInt();
    if (length != bytes.limit() - start) {
      throw broken("says it has %d bytes, but has %d".formatted(length, bytes.limit() - start));
    }
    byte[] said = new byte[CHECK];
    bytes.get(bytes.limit() - CHECK, said);
    if (!MessageDigest.isEqual(said, hash(bytes.duplicate().position(start)))) {
      throw broken("has another hash than it says");
    }
    int ordinal = bytes.get();
    if (ordinal < 0 || ordinal >= Kind.values().length) {
      throw broken("is of an unknown kind");
    }
    kind = Kind.values()[ordinal];
    epoch = bytes.getLong();
    group = bytes.getLong();
    bytes.limit(bytes.limit() - CHECK);
    if (kind == Kind.FORGET && bytes.hasRemaining()) {
      throw broken("has more than it should");
    }
  }

  /** Of all that remains but the hash itself. */
  private static byte[] hash(ByteBuffer sealed) {
    MessageDigest digest = Witness.sha256();
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

  /** The group's next step, as its walks say. */
  static ByteBuffer step(Group group, Pipe pipe) {
    Batch batch = group.batch;
    Walk walk = group.traveller(0).walk();
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
    out.putInt(origin.length).put(origin).put((byte) walk.step().ordinal()).putInt(walk.layer());
    out.putInt(batch.runs).putInt(batch.rows).putInt(batch.width);
    for (int run = 0; run < batch.runs; run++) {
      Traveller traveller = group.traveller(run);
      int pages = pagesOf(group, run);
      out.putLong(traveller.passage()).putInt(traveller.base()).putInt(group.firstPosition(run));
      out.putInt(batch.rowCount[run]).put(traveller.recorded() ? RECORDED : 0).putInt(pages);
      out.asIntBuffer().put(batch.pages[run], 0, pages);
      out.position(out.position() + 4 * pages);
    }
    out.asFloatBuffer().put(batch.hidden, 0, batch.rows * batch.width);
    out.position(out.position() + 4 * batch.rows * batch.width);
    return seal(out);
  }

  static ByteBuffer ended(long group, long epoch, Ending ending) {
    byte[] reason = ending.reason().getBytes(StandardCharsets.UTF_8);
    reason = Arrays.copyOf(reason, Math.min(reason.length, LONGEST_TEXT));
    ByteBuffer out = begin(Kind.ENDED, epoch, group, 1L + 4 + reason.length);
    return seal(out.put((byte) ending.kind().ordinal()).putInt(reason.length).put(reason));
  }

  static ByteBuffer forget(long passage, long epoch) {
    return seal(begin(Kind.FORGET, epoch, passage, 0));
  }

  private static int pagesOf(Group group, int run) {
    return Pages.holding(group.firstPosition(run) + group.batch.rowCount[run]);
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

  /** The ending of a frame that says one. */
  Ending ending() {
    expect(Kind.ENDED);
    ByteBuffer in = bytes.duplicate();
    counted(in, 1, 1 + 4);
    int how = in.get();
    Ending ending =
        new Ending(
            how == Ending.Kind.RELEASED.ordinal() ? Ending.Kind.RELEASED : Ending.Kind.FAILED,
            text(in));
    if (how != ending.kind().ordinal() || in.hasRemaining()) {
      throw broken("says of no ending that a node may give");
    }
    return ending;
  }

  /** Whose step it is. */
  String origin() {
    expect(Kind.STEP);
    return text(bytes.duplicate());
  }

  private static String text(ByteBuffer in) {
    counted(in, 1, 4);
    byte[] text = new byte[counted(in, in.getInt(), 1)];
    if (text.length > LONGEST_TEXT) {
      throw broken("has a text of %d bytes".formatted(text.length));
    }
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  /** Makes the group of a step that came from another node. */
  Group toGroup(Tally tally) {
    expect(Kind.STEP);
    ByteBuffer in = bytes.duplicate();
    text(in); // the origin
    counted(in, 1, 1 + 4 + 4 + 4 + 4);
    ComputeStep step = stepOf(in);
    int layer = in.getInt();
    int runs = counted(in, in.getInt(), RUN);
    int rows = counted(in, in.getInt(), 4);
    int width = in.getInt();
    long least = (long) runs * RUN + 4L * rows * width;
    if (layer < 0 || runs == 0 || rows < runs || width <= 0 || least > in.remaining()) {
      throw broken(
          "has %d runs, %d rows of width %d for layer %d".formatted(runs, rows, width, layer));
    }
    Group out = new Group(width, rows, runs);
    out.open(group);
    for (int run = 0; run < runs; run++) {
      readRun(in, out, new Walk(step, layer, tally));
    }
    if (out.batch.rows != rows || in.remaining() != 4L * rows * width) {
      throw broken("has other rows than its runs say");
    }
    in.asFloatBuffer().get(out.batch.hidden, 0, rows * width);
    return out;
  }

  private static void readRun(ByteBuffer in, Group out, Walk walk) {
    counted(in, 1, RUN);
    long passage = in.getLong();
    int base = in.getInt();
    int first = in.getInt();
    int count = in.getInt();
    byte flags = in.get();
    int pages = counted(in, in.getInt(), 4);
    boolean fits = count > 0 && count <= out.maxRows - out.batch.rows && base >= 0 && base <= first;
    if (!fits || pages != Math.ceilDiv((long) first + count, Pages.SIZE)) {
      throw broken("has a run of %d from %d on in %d pages".formatted(count, first, pages));
    }
    if ((flags & ~RECORDED) != 0) {
      throw broken("has a run with unknown flags " + flags);
    }
    int[] table = pages(in, pages);
    out.add(new Guest(walk, passage, base, table, flags == RECORDED), first, count, false);
  }

  private static int[] pages(ByteBuffer in, int count) {
    int[] table = new int[count];
    for (int i = 0; i < count; i++) {
      table[i] = in.getInt();
      if (table[i] < 0) {
        throw broken("has a page of number " + table[i]);
      }
    }
    return table;
  }

  /**
   * Brings back a group that was sent away: its walks begin anew, its hidden states are those of
   * the frame.
   */
  void returnTo(Group home) {
    Group back = toGroup(new Tally());
    Batch batch = home.batch;
    Walk due = back.traveller(0).walk();
    if (!isSame(back, home)) {
      throw broken("brings %d rows back of %d".formatted(back.batch.rows, batch.rows));
    }
    if (due.layer() <= home.traveller(0).walk().layer()) {
      throw broken("brings its rows back for layer %d, where they were".formatted(due.layer()));
    }
    System.arraycopy(back.batch.hidden, 0, batch.hidden, 0, batch.rows * batch.width);
    for (int run = 0; run < home.size(); run++) {
      home.traveller(run).walk().begin(due.step(), due.layer());
    }
  }

  private static boolean isSame(Group back, Group home) {
    boolean same = back.batch.width == home.batch.width && back.size() == home.size();
    for (int run = 0; same && run < home.size(); run++) {
      same =
          back.traveller(run).passage() == home.traveller(run).passage()
              && back.firstPosition(run) == home.firstPosition(run)
              && back.batch.rowCount[run] == home.batch.rowCount[run];
    }
    return same;
  }

  private ComputeStep stepOf(ByteBuffer in) {
    int ordinal = in.get();
    if (ordinal < 0 || ordinal >= ComputeStep.values().length) {
      throw broken("has an unknown step");
    }
    return ComputeStep.values()[ordinal];
  }

  private static int counted(ByteBuffer in, int count, int each) {
    if (count < 0 || (long) count * each > in.remaining()) {
      throw broken("says it has %d of something, and ends before".formatted(count));
    }
    return count;
  }

  private void expect(Kind expected) {
    if (kind != expected) {
      throw new IllegalStateException("a frame of kind " + kind + ", not " + expected);
    }
  }

  private static EngineException broken(String how) {
    return new EngineException(
        "frame between nodes " + how + "; it is dropped, its sequences are to be rebuilt");
  }
}
