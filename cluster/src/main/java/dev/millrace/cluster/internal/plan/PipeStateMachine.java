package dev.millrace.cluster.internal.plan;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a pipe of the origin stands. {@link #TABLE} says how it gets from one state to another, and
 * what is not in it is refused. One thread at a time.
 */
final class PipeStateMachine {
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
  enum Trigger {
    PLANNED,
    /** A node has opened, but not the last. */
    OPENED,
    ALL_OPENED,
    /** A node of it refused, failed, lied, or has its layers no more. */
    BROKEN
  }

  /** Where {@code on} happens in {@code from}, {@code to} follows. */
  record Transition(State from, Trigger on, State to) {}

  static final List<Transition> TABLE =
      List.of(
          new Transition(State.NONE, Trigger.PLANNED, State.OPENING),
          new Transition(State.OPENING, Trigger.OPENED, State.OPENING),
          new Transition(State.OPENING, Trigger.ALL_OPENED, State.RUNNING),
          new Transition(State.OPENING, Trigger.BROKEN, State.NONE),
          new Transition(State.RUNNING, Trigger.BROKEN, State.NONE));

  private final int number;
  private final Set<String> awaited = new LinkedHashSet<>();
  private State state = State.NONE;
  private @Nullable PipeSession session;
  private long since;

  PipeStateMachine(int number) {
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
  @Nullable PipeSession session() {
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
  boolean planned(PipeSession next, long now) {
    move(Trigger.PLANNED, now);
    session = next;
    awaited.clear();
    awaited.addAll(next.otherNodes());
    if (awaited.isEmpty()) {
      move(Trigger.ALL_OPENED, now);
    }
    return isRunning();
  }

  /** A node has opened; says whether the pipe runs now. One that is not awaited changes nothing. */
  boolean opened(String node, long now) {
    if (state != State.OPENING || !awaited.remove(node)) {
      return false;
    }
    move(awaited.isEmpty() ? Trigger.ALL_OPENED : Trigger.OPENED, now);
    return isRunning();
  }

  /** It cannot go on; gives the session that is over. */
  PipeSession broken(long now) {
    move(Trigger.BROKEN, now);
    PipeSession over = session;
    if (over == null) {
      throw new IllegalStateException("pipe " + number + " had a plan, but no session");
    }
    session = null;
    awaited.clear();
    return over;
  }

  private void move(Trigger happening, long now) {
    for (Transition row : TABLE) {
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
