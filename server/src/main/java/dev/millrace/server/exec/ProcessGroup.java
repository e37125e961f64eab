package dev.millrace.server.exec;

import dev.millrace.server.exec.ProcessSignals.Signal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process and the processes that it started, except those that started their own session. The
 * task's thread calls {@link #end}; any thread may call the rest.
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

  /** Whether the leader leads a process group of its number, else it is alone. */
  boolean hasGroup() {
    return signals != null;
  }

  /** The argument of kill(1) that reaches the group. */
  String target() {
    return (signals == null ? "" : "-") + leader.pid();
  }

  /** Kills all processes at once. */
  void kill() {
    send(Signal.KILL);
  }

  /**
   * Ends all processes that are left: TERM, and KILL after the grace period. The group's number may
   * be reused after this, so no further signal is sent. Not interruptible: an interrupt is restored
   * afterwards.
   */
  void end() {
    boolean interrupted = Thread.interrupted();
    if (send(Signal.TERM)) {
      interrupted |= awaitAllEnded(grace);
      if (anyAlive() && send(Signal.KILL)) {
        interrupted |= awaitAllEnded(KILL_TAKES);
      }
    }
    synchronized (this) {
      ended = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until no process is left, for a limited time; true if interrupted. */
  private boolean awaitAllEnded(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    boolean interrupted = false;
    while (anyAlive() && System.nanoTime() < deadline) {
      try {
        if (!leader.isAlive() || leader.waitFor(LOOK_AGAIN.toNanos(), TimeUnit.NANOSECONDS)) {
          Thread.sleep(LOOK_AGAIN); // the leader has ended, others have not
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

  /** Whether any process received the signal. */
  private synchronized boolean send(Signal signal) {
    if (ended) {
      return false;
    }
    if (signals == null) {
      return sendToEach(signal);
    }
    if (!leader.isAlive()) { // else Java must collect its exit status
      signals.reap(leader.pid());
    }
    // A leader that has not created its group yet is reached by its own number. After its end that
    // number may be reused, while the number of the group stays taken as long as it has members.
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
