package dev.millrace.http.limits;

import dev.millrace.http.limits.ConcurrencyLimiter.Slot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Limits how many requests of each kind are under way at once. Thread-safe. */
public final class RequestSlots {

  /** What a request is, for as long as it is under way. */
  public enum Kind {
    /** Any request. Over HTTP/2, each is a stream of its connection. */
    REQUEST("requests", "requests under way", 1),
    /** A response that is sent as events. */
    STREAM("streams", "open streams", 5),
    /** A request that waits for a task. */
    LONG_POLL("dequeues", "requests that wait for a task", 5);

    private final String label;
    private final String words;
    private final int retrySeconds;

    Kind(String label, String words, int retrySeconds) {
      this.label = label;
      this.words = words;
      this.retrySeconds = retrySeconds;
    }

    /** Its name in metrics. */
    public String label() {
      return label;
    }
  }

  private final Map<Kind, ConcurrencyLimiter> limiters = new EnumMap<>(Kind.class);

  public RequestSlots(HttpLimits.Concurrency most) {
    add(Kind.REQUEST, most.requests());
    add(Kind.STREAM, most.streams());
    add(Kind.LONG_POLL, most.longPolls());
  }

  private void add(Kind kind, HttpLimits.Cap cap) {
    limiters.put(kind, new ConcurrencyLimiter(kind.words, cap, kind.retrySeconds));
  }

  public ConcurrencyLimiter of(Kind kind) {
    return limiters.get(kind);
  }

  /** The slots of one request. Used by the request's thread. */
  public final class Holder implements AutoCloseable {
    private final @Nullable String caller;
    private final List<Kind> kinds = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();

    private Holder(@Nullable String caller) {
      this.caller = caller;
    }

    /**
     * Takes a slot, unless the request has one of that kind.
     *
     * @throws dev.millrace.http.route.Problem if there are too many
     */
    public void open(Kind kind) {
      if (!kinds.contains(kind)) {
        slots.add(of(kind).open(caller));
        kinds.add(kind);
      }
    }

    @Override
    public void close() {
      slots.forEach(Slot::close);
      slots.clear();
    }
  }

  /**
   * @param caller such as {@code key "x"}; null: only the numbers of all requests count
   */
  public Holder holder(@Nullable String caller) {
    return new Holder(caller);
  }
}
