package dev.millrace.cli.network;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.SignalHandlers;
import dev.millrace.cli.log.JGroupsLogging;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;

/** Runs a node: joins the network, serves until a signal, and leaves. */
final class NodeRun {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  private final NodeSettings settings;
  private final Thread waiting = Thread.currentThread();
  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile boolean joined;

  NodeRun(NodeSettings settings) {
    this.settings = settings;
  }

  int run() {
    JGroupsLogging.silence();
    SignalHandlers.install(this::signal);
    Thread.setDefaultUncaughtExceptionHandler(MonitoredThreads::workDied); // of libraries
    EngineThreads.onServiceDeath(this::died);
    try (LayerNode node = LayerNode.start(settings)) {
      joined = true;
      LOG.log(Level.INFO, "joined: " + described(node));
      await();
      LOG.log(Level.INFO, "leaving: pipes are planned without this node");
    } catch (ClusterException e) {
      if (stop.getCount() > 0) {
        throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
      }
      LOG.log(Level.DEBUG, "interrupted", e);
    }
    if (!MonitoredThreads.dead().isEmpty()) {
      throw new CommandException(
          "ended because a thread died: " + String.join(", ", MonitoredThreads.dead()));
    }
    LOG.log(Level.INFO, "stopped");
    return ExitCode.OK;
  }

  /** A node without one of its threads is useless: it leaves, so that pipes are planned without it. */
  private void died(Thread thread, Throwable reason) {
    MonitoredThreads.serviceDied(thread, reason);
    stop.countDown();
    if (!joined) {
      waiting.interrupt();
    }
  }

  private String described(LayerNode node) {
    return "node "
        + node.name()
        + " at "
        + node.address()
        + (settings.network().join().isEmpty() ? ", the first node of its network" : "")
        + ", up to "
        + NumberText.bytes(settings.memory().bytes())
        + " for layers and caches";
  }

  /** Waits for the first signal; one that came while joining may have left an interrupt. */
  private void await() {
    while (stop.getCount() > 0) {
      try {
        stop.await();
      } catch (InterruptedException e) {
        LOG.log(Level.DEBUG, "woken", e);
      }
    }
  }

  private void signal(int number) {
    if (number > 1) {
      LOG.log(Level.WARNING, "second signal: exiting at once");
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
    LOG.log(Level.INFO, "stopping");
    stop.countDown();
    if (!joined) {
      waiting.interrupt(); // it may still wait for a member to join
    }
  }
}
