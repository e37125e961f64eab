package dev.millrace.engine.internal.pipe;

/** A sequence of another node's origin, as far as this node knows it. */
record RemoteSequence(SequenceStep step, long passage, int base, int[] pages, boolean isRecorded)
    implements PipeSequence {
  @Override
  public int[] tokens() {
    throw new IllegalStateException("passage " + passage + ": its tokens are at its origin");
  }
}
