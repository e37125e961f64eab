package dev.millrace.engine.internal.pipe;

import java.nio.ByteBuffer;

/** Reads the body of a {@link Frame} of kind STEP, once. */
final class StepReader {
  private final ByteBuffer in;
  private final NextComputation next;
  private final int layer;
  private final int runs;
  private final int rows;
  private final int width;

  /** Reads up to the runs. */
  StepReader(ByteBuffer in) {
    this.in = in;
    int origin = Frame.textLength(in);
    in.position(in.position() + origin);
    Frame.counted(in, 1, 1 + 4 + 4 + 4 + 4);
    next = nextOf(in.get());
    layer = in.getInt();
    runs = Frame.counted(in, in.getInt(), Frame.RUN);
    rows = Frame.counted(in, in.getInt(), 4);
    width = in.getInt();
    long least = (long) runs * Frame.RUN + 4L * rows * width;
    if (layer < 0 || runs == 0 || rows < runs || width <= 0 || least > in.remaining()) {
      throw Frame.malformed(
          "has %d runs, %d rows of width %d for layer %d".formatted(runs, rows, width, layer));
    }
  }

  private static NextComputation nextOf(int ordinal) {
    if (ordinal < 0 || ordinal >= NextComputation.values().length) {
      throw Frame.malformed("has an unknown step");
    }
    return NextComputation.values()[ordinal];
  }

  int layer() {
    return layer;
  }

  /** Makes the group that the frame describes. */
  SequenceGroup group(long id, TransitionCounts counts) {
    SequenceGroup out = new SequenceGroup(width, rows, runs);
    out.open(id);
    for (int run = 0; run < runs; run++) {
      readRun(out, new SequenceStep(next, layer, counts));
    }
    if (out.batch.rows != rows) {
      throw Frame.malformed("has other rows than its runs say");
    }
    readHidden(out.batch);
    return out;
  }

  private void readRun(SequenceGroup out, SequenceStep step) {
    Frame.counted(in, 1, Frame.RUN);
    long passage = in.getLong();
    int base = in.getInt();
    int first = in.getInt();
    int count = in.getInt();
    byte flags = in.get();
    int pages = Frame.counted(in, in.getInt(), 4);
    boolean fits = count > 0 && count <= out.maxRows - out.batch.rows && base >= 0 && base <= first;
    if (!fits || pages != Math.ceilDiv((long) first + count, KvPageSize.POSITIONS)) {
      throw Frame.malformed(
          "has a run of %d from %d on in %d pages".formatted(count, first, pages));
    }
    if ((flags & ~Frame.RECORDED) != 0) {
      throw Frame.malformed("has a run with unknown flags " + flags);
    }
    boolean recorded = flags == Frame.RECORDED;
    out.add(
        new RemoteSequence(step, passage, base, readPages(pages), recorded), first, count, false);
  }

  private int[] readPages(int count) {
    int[] table = new int[count];
    for (int i = 0; i < count; i++) {
      table[i] = in.getInt();
      if (table[i] < 0) {
        throw Frame.malformed("has a page of number " + table[i]);
      }
    }
    return table;
  }

  private void readHidden(Batch batch) {
    if (in.remaining() != 4L * batch.rows * batch.width) {
      throw Frame.malformed("has other rows than its runs say");
    }
    in.asFloatBuffer().get(batch.hidden, 0, batch.rows * batch.width);
  }

  /** See {@link Frame#returnTo}. */
  void returnTo(SequenceGroup home, Pipe pipe) {
    boolean same = runs == home.size() && rows == home.batch.rows && width == home.batch.width;
    for (int run = 0; same && run < runs; run++) {
      same = isSame(home, run);
    }
    if (!same) {
      throw Frame.malformed(
          "brings %d rows back, not the %d that went".formatted(rows, home.batch.rows));
    }
    int dueLayer = pipe.homeAfter(home.step(0).layer());
    NextComputation due = dueLayer < pipe.layers() ? NextComputation.LAYER : NextComputation.HEAD;
    if (next != due || layer != dueLayer) {
      throw Frame.malformed(
          "brings its rows back for %s %d, not for %s %d".formatted(next, layer, due, dueLayer));
    }
    readHidden(home.batch);
    for (int run = 0; run < runs; run++) {
      home.step(run).restart(due, dueLayer);
    }
  }

  /** Reads a run and checks that it is the given one. */
  private boolean isSame(SequenceGroup home, int run) {
    Frame.counted(in, 1, Frame.RUN);
    PipeSequence sequence = home.sequence(run);
    int pages = Frame.pagesOf(home, run);
    boolean same =
        in.getLong() == sequence.passage()
            && in.getInt() == sequence.base()
            && in.getInt() == home.firstPosition(run)
            && in.getInt() == home.batch.rowCount[run]
            && in.get() == Frame.flags(sequence)
            && in.getInt() == pages;
    for (int i = 0; same && i < pages; i++) {
      same = in.remaining() >= 4 && in.getInt() == home.batch.pages[run][i];
    }
    return same;
  }
}
