package dev.millrace.server.infer.shelf;

import dev.millrace.core.state.TransitionTable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of one model on a shelf, guarded by the shelf's lock. */
public final class ShelfSlot<T extends ShelfItem> {
  /** The states of a model. */
  enum State {
    OUT,
    COMING,
    IN,
    /** Loaded, but it no longer works. */
    BROKEN,
    GOING
  }

  /** The events that change the state. */
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
          COME   | S | OUT           | COMING | it is requested, and there is memory
          LOADED | S | COMING        | IN     |
          BREAK  | W | IN            | BROKEN | a task found that it no longer works
          LEAVE  | S | IN, BROKEN    | GOING  | no task uses it, or all models are closed
          GONE   | S | COMING, GOING | OUT    | it could not be loaded, or is unloaded
          """);

  final ShelfItemLoader<T> loader;
  int leases;
  long lastUse;
  private State state = State.OUT;
  private long bytes;
  private volatile @Nullable T item;

  public ShelfSlot(ShelfItemLoader<T> loader) {
    this.loader = loader;
  }

  State state() {
    return state;
  }

  /** Whether the model can be lent. */
  boolean isLoaded() {
    return state == State.IN;
  }

  /** Whether it is in memory and can be unloaded. */
  boolean isResident() {
    return state == State.IN || state == State.BROKEN;
  }

  /** Whether it is being loaded or unloaded. */
  boolean isInTransition() {
    return state == State.COMING || state == State.GOING;
  }

  /** The memory that it takes, or will take once it is loaded. */
  long bytes() {
    return bytes;
  }

  T item() {
    return Objects.requireNonNull(item, "a loaded model");
  }

  void startLoading() {
    move(Event.COME);
    bytes = loader.bytes();
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

  /** Changes the state; the only method that does. */
  void move(Event event) {
    state = TABLE.move(state, event);
  }
}
