package dev.millrace.server.infer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One model's place on a shelf, whose lock guards it. */
final class Place<T extends Shelved> {
  /** Where the model is. */
  enum State {
    OUT,
    /** Coming or going. */
    MOVING,
    IN
  }

  final Source<T> source;
  State state = State.OUT;
  int leases;
  long lastUse;
  long bytes;
  boolean broken; // it is in, but does not work any more
  private volatile @Nullable T item;

  Place(Source<T> source) {
    this.source = source;
  }

  boolean isIn() {
    return state == State.IN;
  }

  boolean lendable() {
    return isIn() && !broken;
  }

  T take() {
    return Objects.requireNonNull(item, "what is in");
  }

  void in(T loaded, long now) {
    item = loaded;
    bytes = loaded.bytes();
    lastUse = now;
    broken = false;
    state = State.IN;
  }

  void out() {
    item = null;
    bytes = 0;
    state = State.OUT;
  }
}
