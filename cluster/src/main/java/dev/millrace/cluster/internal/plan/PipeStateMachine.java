package dev.millrace.cluster.internal.plan;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one pipe. {@link #TABLE} has all legal transitions; others are refused. One thread
 * at a time.
 */
final class PipeStateMachine {
  /** The states of a pipe. */
  enum State {
    /** It has no plan. */
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
    /** One of its nodes refused, failed, lied, or no longer has its layers. */
    BROKEN
  }

  /** On {@code on}, the state changes from {@code from} to {@code to}. */
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

  /** Its session, open or opening; null without a plan. */
  @Nullable PipeSession session() {
    return session;
  }

  /** When it entered its state. */
  long since() {
    return since;
  }

  /** Nodes that have not opened yet, in the order of the plan. */
  List<String> awaited() {
    return List.copyOf(awaited);
  }

  /** Sets a plan; returns whether the pipe runs at once because no other node is in it. */
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

  /**
   * A node has opened; returns whether the pipe runs now. A node that is not awaited changes
   * nothing.
   */
  boolean opened(String node, long now) {
    if (state != State.OPENING || !awaited.remove(node)) {
      return false;
    }
    move(awaited.isEmpty() ? Trigger.ALL_OPENED : Trigger.OPENED, now);
    return isRunning();
  }

  /** Ends the session and returns it. */
  PipeSession broken(long now) {
    move(Trigger.BROKEN, now);
    PipeSession ended = session;
    if (ended == null) {
      throw new IllegalStateException("pipe " + number + " had a plan, but no session");
    }
    session = null;
    awaited.clear();
    return ended;
  }

  private void move(Trigger trigger, long now) {
    for (Transition row : TABLE) {
      if (row.from() == state && row.on() == trigger) {
        if (row.to() != state) {
          since = now;
        }
        state = row.to();
        return;
      }
    }
    throw new IllegalStateException(
        "pipe %d: no transition on %s from %s".formatted(number, trigger, state));
  }
}
