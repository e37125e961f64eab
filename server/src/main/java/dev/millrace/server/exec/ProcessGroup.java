package dev.millrace.server.exec;

import dev.millrace.server.exec.ProcessSignals.Signal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process and everything it started, as long as that has not left for a session of its own.
 * {@link #end} belongs to the task's thread; the rest is for any.
 */
final class ProcessGroup {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
  private static final Duration KILL_TAKES = Duration.ofSeconds(1);

  private final Process leader;
  private final @Nullable ProcessSignals signals; // null: single processes only
  private final Duration grace;
  private final Set<ProcessHandle> seen = new LinkedHashSet<>(); // without groups; guarded by this
  private boolean ended; // guarded by this

  ProcessGroup(Process leader, @Nullable ProcessSignals signals, Duration grace) {
    this.leader = leader;
    this.signals = signals;
    this.grace = grace;
  }

  Process leader() {
    return leader;
  }

  /** What kill(1) takes to reach it. */
  String target() {
    return (signals == null ? "" : "-") + leader.pid();
  }

  /** Ends it at once. */
  void kill() {
    send(Signal.KILL);
  }

  /**
   * Ends what is left: TERM, and KILL for what is there after the grace. The group's number may be
   * somebody else's after this, so nothing is sent to it any more. Not interruptible: an interrupt
   * is noticed afterwards.
   */
  void end() {
    boolean interrupted = Thread.interrupted();
    if (send(Signal.TERM)) {
      interrupted |= awaitNobody(grace);
      if (anyAlive() && send(Signal.KILL)) {
        interrupted |= awaitNobody(KILL_TAKES);
      }
    }
    synchronized (this) {
      ended = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until nobody is left, at most that long; true if interrupted meanwhile. */
  private boolean awaitNobody(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    boolean interrupted = false;
    while (anyAlive() && System.nanoTime() < deadline) {
      try {
        if (!leader.isAlive() || leader.waitFor(LOOK_AGAIN.toNanos(), TimeUnit.NANOSECONDS)) {
          Thread.sleep(LOOK_AGAIN); // the leader is gone, others are not
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }

  private boolean anyAlive() {
    return send(Signal.NONE)
        && (signals == null || leader.isAlive() || ProcessGroupMembers.anyAlive(leader.pid()));
  }

  /** Whether there was anybody to get it. */
  private synchronized boolean send(Signal signal) {
    if (ended) {
      return false;
    }
    if (signals == null) {
      return sendToEach(signal);
    }
    if (!leader.isAlive()) { // else its exit status is Java's to take
      signals.reap(leader.pid());
    }
    // A leader that has not become one yet is reached by its own number. Once it is gone that
    // number
    // may be another's, while the group's stays taken as long as the group has members.
    return signals.send(-leader.pid(), signal)
        || (leader.isAlive() && signals.send(leader.pid(), signal));
  }

  private boolean sendToEach(Signal signal) {
    seen.add(leader.toHandle());
    leader.descendants().forEach(seen::add);
    boolean any = false;
    for (ProcessHandle process : seen) {
      any |= process.isAlive();
      switch (signal) {
        case NONE -> {}
        case TERM -> process.destroy();
        case KILL -> process.destroyForcibly();
      }
    }
    return any;
  }
}
