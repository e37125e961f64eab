package dev.millrace.cluster.origin;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a pipe of the origin stands. {@link #TABLE} says how it gets from one state to another, and
 * what is not in it is refused. One thread at a time.
 */
final class PipeControl {
  /** The states of a pipe. */
  enum State {
    /** There is no plan for it. */
    NONE,
    /** Its nodes were asked to open a session, and not all have answered. */
    OPENING,
    /** Sequences go through it. */
    RUNNING
  }

  /** What happens to a pipe. */
  enum Happening {
    PLANNED,
    /** A node has opened, but not the last. */
    OPENED,
    ALL_OPENED,
    /** A node of it refused, failed, lied, or has its layers no more. */
    BROKEN
  }

  /** Where {@code on} happens in {@code from}, {@code to} follows. */
  record Row(State from, Happening on, State to) {}

  static final List<Row> TABLE =
      List.of(
          new Row(State.NONE, Happening.PLANNED, State.OPENING),
          new Row(State.OPENING, Happening.OPENED, State.OPENING),
          new Row(State.OPENING, Happening.ALL_OPENED, State.RUNNING),
          new Row(State.OPENING, Happening.BROKEN, State.NONE),
          new Row(State.RUNNING, Happening.BROKEN, State.NONE));

  private final int number;
  private final Set<String> awaited = new LinkedHashSet<>();
  private State state = State.NONE;
  private @Nullable Session session;
  private long since;

  PipeControl(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  State state() {
    return state;
  }

  boolean isRunning() {
    return state == State.RUNNING;
  }

  /** What it is open with, or opens; null where there is no plan. */
  @Nullable Session session() {
    return session;
  }

  /** When it came into its state. */
  long since() {
    return since;
  }

  /** Those that have not opened yet, in the order of the plan. */
  List<String> awaited() {
    return List.copyOf(awaited);
  }

  /** It has a plan; says whether it runs at once, because all of it is here. */
  boolean planned(Session next, long now) {
    move(Happening.PLANNED, now);
    session = next;
    awaited.clear();
    awaited.addAll(next.others());
    if (awaited.isEmpty()) {
      move(Happening.ALL_OPENED, now);
    }
    return isRunning();
  }

  /** A node has opened; says whether the pipe runs now. One that is not awaited changes nothing. */
  boolean opened(String node, long now) {
    if (state != State.OPENING || !awaited.remove(node)) {
      return false;
    }
    move(awaited.isEmpty() ? Happening.ALL_OPENED : Happening.OPENED, now);
    return isRunning();
  }

  /** It cannot go on; gives the session that is over. */
  Session broken(long now) {
    move(Happening.BROKEN, now);
    Session over = session;
    if (over == null) {
      throw new IllegalStateException("pipe " + number + " had a plan, but no session");
    }
    session = null;
    awaited.clear();
    return over;
  }

  private void move(Happening happening, long now) {
    for (Row row : TABLE) {
      if (row.from() == state && row.on() == happening) {
        if (row.to() != state) {
          since = now;
        }
        state = row.to();
        return;
      }
    }
    throw new IllegalStateException(
        "pipe %d: no way on %s from %s".formatted(number, happening, state));
  }
}
