package dev.millrace.engine.pipe;

/** A sequence of another node, as far as it is known here. */
record Guest(Walk walk, long passage, int base, int[] pages, boolean recorded)
    implements Traveller {
  @Override
  public int[] tokens() {
    throw new IllegalStateException("passage " + passage + ": its tokens are at its origin");
  }
}
