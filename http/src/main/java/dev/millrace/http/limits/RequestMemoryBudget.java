package dev.millrace.http.limits;

import dev.millrace.http.route.Problem;
import java.util.Map;

/**
 * Memory that all requests together may take at a time, in bytes. A fifth of it is for small ones
 * alone, which no large one can shut out. Thread-safe.
 */
public final class RequestMemoryBudget {
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
  public RequestMemoryBudget(long forLarge, String full) {
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
  public final class Reservation implements AutoCloseable {
    private long size;

    /**
     * Takes more.
     *
     * @throws Problem if there is not so much left now
     */
    public void reserve(long more) {
      if (!take(more, size + more <= SMALL ? all : forLarge)) {
        throw new Problem(Problem.Kind.UNAVAILABLE, null, full, null, Map.of("Retry-After", "1"));
      }
      size += more;
    }

    /** Takes as much as is missing to that size. */
    public void reserveAtLeast(long wanted) {
      if (wanted > size) {
        reserve(wanted - size);
      }
    }

    /** The same for what cannot be refused any more: others wait for it. */
    public void forceAtLeast(long wanted) {
      if (wanted > size) {
        takeAnyway(wanted - size);
        size = wanted;
      }
    }

    /** Whether it could ever have so much more. */
    public boolean couldReserve(long more) {
      return size + more <= forLarge;
    }

    @Override
    public void close() {
      takeAnyway(-size);
      size = 0;
    }
  }

  public Reservation newReservation() {
    return new Reservation();
  }
}
