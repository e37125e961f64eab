package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.ServerState;
import dev.millrace.server.ServerStatus;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import java.net.URI;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A server inside another command, for a workspace that has none. */
public final class LocalServer implements AutoCloseable {
  private final OwnablePlace place;
  private final JobStore store;
  private final LocalWorkers workers;
  private final Server server;
  private @Nullable HttpApi api;

  private LocalServer(OwnablePlace place, JobStore store, LocalWorkers workers, Server server) {
    this.place = place;
    this.store = store;
    this.workers = workers;
    this.server = server;
  }

  /** Takes ownership of the store and the workers: it closes them at the end, or if this fails. */
  public static LocalServer start(
      OwnablePlace place, JobStore store, Supplier<LocalWorkers> opening) {
    try {
      place.withdraw(); // a server that died may have left an announcement
      return start(place, store, opening.get());
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private static LocalServer start(OwnablePlace place, JobStore store, LocalWorkers workers) {
    try {
      Server server = Server.builder(store).group(workers.slots(), workers.workers()).build();
      place.announce(workers.info());
      return new LocalServer(place, store, workers, server.start());
    } catch (RuntimeException | Error e) {
      workers.close();
      throw e;
    }
  }

  /**
   * Answers HTTP on a free port of this machine from now on. Call it once, from the thread that
   * closes the server.
   */
  public URI listen() {
    HttpApi opened = HttpApi.over(store, HttpSettings.loopback(0), null);
    api = opened;
    Inference inference = workers.inference();
    opened.attach(server, inference);
    return opened.open(
        workers.workers().stream().map(Worker::type).collect(Collectors.toUnmodifiableSet()),
        inference == null ? Set.of() : Set.copyOf(inference.stats().served()),
        Optional::empty);
  }

  /** Reads its jobs, from memory where they are there. */
  public JobReader reader() {
    return store;
  }

  /**
   * Checks that the server still runs.
   *
   * @throws CommandException if it stopped by itself, as it does when its store fails
   */
  public void requireRunning() {
    ServerStatus status = server.status();
    if (status.state() == ServerState.STOPPED) {
      throw new CommandException(
          "the server in this process stopped: "
              + (status.problem() == null
                  ? "set MILLRACE_LOG_LEVEL=info for details"
                  : status.problem()));
    }
  }

  /** Stops it; running tasks are released and resume later. */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    if (api != null) {
      api.close();
    }
    try {
      server.stopNow();
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      workers.close();
      place.withdraw();
      store.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
