package dev.millrace.server.http;

import java.util.Map;

/**
 * Memory that all requests together may take at a time, in bytes. A fifth of it is for small ones
 * alone, which no large one can shut out. Thread-safe.
 */
final class Room {
  /** Bytes up to which one is small. */
  static final int SMALL = 64 << 10;

  private final long forLarge;
  private final long all;
  private final String full;
  private long taken; // guarded by this

  /**
   * @param forLarge bytes that large ones may take together
   * @param full what to say when there is no more
   */
  Room(long forLarge, String full) {
    this.forLarge = forLarge;
    this.all = forLarge + forLarge / 4;
    this.full = full;
  }

  private synchronized boolean take(long more, long most) {
    if (taken + more > most) {
      return false;
    }
    taken += more;
    return true;
  }

  private synchronized void takeAnyway(long more) {
    taken += more;
  }

  /** What one request has of it, until it is closed. Used by the request's own thread. */
  final class Share implements AutoCloseable {
    private long size;

    /**
     * Takes more.
     *
     * @throws Problem if there is not so much left now
     */
    void add(long more) {
      if (!take(more, size + more <= SMALL ? all : forLarge)) {
        throw new Problem(Problem.Kind.UNAVAILABLE, null, full, null, Map.of("Retry-After", "1"));
      }
      size += more;
    }

    /** Takes as much as is missing to that size. */
    void atLeast(long wanted) {
      if (wanted > size) {
        add(wanted - size);
      }
    }

    /** The same for what cannot be refused any more: others wait for it. */
    void insist(long wanted) {
      if (wanted > size) {
        takeAnyway(wanted - size);
        size = wanted;
      }
    }

    /** Whether it could ever have so much more. */
    boolean couldAdd(long more) {
      return size + more <= forLarge;
    }

    @Override
    public void close() {
      takeAnyway(-size);
      size = 0;
    }
  }

  Share share() {
    return new Share();
  }
}
