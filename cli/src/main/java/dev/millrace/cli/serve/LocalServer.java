package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.ServerState;
import dev.millrace.server.ServerStatus;
import dev.millrace.store.fs.Workspace;
import java.util.function.Supplier;

/** A server in this process, for a workspace that has none. */
public final class LocalServer implements AutoCloseable {
  private final Workspace workspace;
  private final JobStore store;
  private final LocalWorkers mill;
  private final Server server;

  private LocalServer(Workspace workspace, JobStore store, LocalWorkers mill, Server server) {
    this.workspace = workspace;
    this.store = store;
    this.mill = mill;
    this.server = server;
  }

  /** Takes over the store and the mill, which it closes in the end, also if this fails. */
  public static LocalServer start(
      Workspace workspace, JobStore store, Supplier<LocalWorkers> opening) {
    try {
      workspace.withdraw(); // what a server that died may have left
      return start(workspace, store, opening.get());
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private static LocalServer start(Workspace workspace, JobStore store, LocalWorkers mill) {
    try {
      Server server = Server.builder(store).group(mill.slots(), mill.workers()).build();
      workspace.announce(mill.info());
      return new LocalServer(workspace, store, mill, server.start());
    } catch (RuntimeException | Error e) {
      mill.close();
      throw e;
    }
  }

  public long generatedTokens() {
    return mill.generatedTokens().getAsLong();
  }

  /**
   * Looks whether it still works.
   *
   * @throws CommandException if it ended by itself, as it does when its store breaks
   */
  public void requireRunning() {
    ServerStatus status = server.status();
    if (status.state() == ServerState.STOPPED) {
      throw new CommandException(
          "the server in this process stopped: "
              + (status.problem() == null
                  ? "MILLRACE_LOG_LEVEL=info says more"
                  : status.problem()));
    }
  }

  /** Ends it; what runs is released and goes on another time. */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    try {
      server.stopNow();
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      mill.close();
      workspace.withdraw();
      store.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
