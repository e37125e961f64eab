package dev.millrace.server.infer.shelf;

import dev.millrace.core.state.TransitionTable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One model's place on a shelf, whose lock guards it. */
public final class ShelfSlot<T extends ShelfItem> {
  /** Where the model is. */
  enum State {
    OUT,
    COMING,
    IN,
    /** It is there, but does not work any more. */
    BROKEN,
    GOING
  }

  /** What happens to it. */
  enum Event {
    COME,
    LOADED,
    BREAK,
    LEAVE,
    GONE
  }

  static final TransitionTable<State, Event> TABLE =
      TransitionTable.of(
          "model",
          State.class,
          Event.class,
          """
          COME   | S | OUT           | COMING | it is wanted, and there is room
          LOADED | S | COMING        | IN     |
          BREAK  | W | IN            | BROKEN | whoever has it found that it does not work
          LEAVE  | S | IN, BROKEN    | GOING  | nobody has it, or all are closed
          GONE   | S | COMING, GOING | OUT    | it could not be loaded, or is freed
          """);

  final ShelfItemLoader<T> source;
  int leases;
  long lastUse;
  private State state = State.OUT;
  private long bytes;
  private volatile @Nullable T item;

  public ShelfSlot(ShelfItemLoader<T> source) {
    this.source = source;
  }

  State state() {
    return state;
  }

  /** Whether it can be lent. */
  boolean isLoaded() {
    return state == State.IN;
  }

  /** Whether it is there and can leave. */
  boolean isResident() {
    return state == State.IN || state == State.BROKEN;
  }

  /** Whether it comes or goes. */
  boolean isInTransition() {
    return state == State.COMING || state == State.GOING;
  }

  /** What it takes while it stays, or will take when it has come. */
  long bytes() {
    return bytes;
  }

  T item() {
    return Objects.requireNonNull(item, "what is in");
  }

  void startLoading() {
    move(Event.COME);
    bytes = source.bytes();
  }

  void finishLoading(T loaded, long now) {
    move(Event.LOADED);
    item = loaded;
    bytes = loaded.bytes();
    lastUse = now;
  }

  void markGone() {
    move(Event.GONE);
    item = null;
    bytes = 0;
  }

  /** The only place where its state changes. */
  void move(Event event) {
    state = TABLE.move(state, event);
  }
}
