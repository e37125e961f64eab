package dev.millrace.http.limits;

import dev.millrace.http.route.Problem;
import java.util.Map;

/**
 * The memory that all requests together may use, in bytes. A fifth is reserved for small requests,
 * so that large ones cannot block them. Thread-safe.
 */
public final class RequestMemoryBudget {
  /** The most bytes of a small request. */
  static final int SMALL = 64 << 10;

  private final long forLarge;
  private final long all;
  private final String full;
  private long taken; // guarded by this

  /**
   * @param forLarge bytes that all large requests together may use
   * @param full the error message when the budget is used up
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

  /** The share of one request, until closed. Used by the request's thread. */
  public final class Reservation implements AutoCloseable {
    private long size;

    /**
     * Reserves more.
     *
     * @throws Problem UNAVAILABLE if the budget is used up now
     */
    public void reserve(long more) {
      if (!take(more, size + more <= SMALL ? all : forLarge)) {
        throw new Problem(Problem.Kind.UNAVAILABLE, null, full, null, Map.of("Retry-After", "1"));
      }
      size += more;
    }

    /** Extends the reservation to that size. */
    public void reserveAtLeast(long wanted) {
      if (wanted > size) {
        reserve(wanted - size);
      }
    }

    /** The same without a limit, for what cannot be refused any more. */
    public void forceAtLeast(long wanted) {
      if (wanted > size) {
        takeAnyway(wanted - size);
        size = wanted;
      }
    }

    /** Whether so much more would fit into an empty budget. */
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
