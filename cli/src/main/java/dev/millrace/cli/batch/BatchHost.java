package dev.millrace.cli.batch;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.serve.LocalServer;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.cli.terminal.PollPacer;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server that does the work of a batch: the one that owns the workspace, else one in this
 * process. If the other one dies, this process takes over.
 */
final class BatchHost implements AutoCloseable {
  private final OwnablePlace place;
  private final @Nullable Supplier<LocalWorkers> workers;
  private final PollPacer ownerPolls = new PollPacer(Duration.ofSeconds(1));
  private boolean served = true;
  private @Nullable LocalServer local;

  /**
   * @param workers opens those of this process; null where no model was named
   */
  BatchHost(OwnablePlace place, @Nullable Supplier<LocalWorkers> workers) {
    this.place = place;
    this.workers = workers;
  }

  /** Refuses to begin work that no process would do. */
  void require() {
    if (workers == null && !place.owner().held()) {
      throw CommandException.suggesting(
          ErrorCode.FAILED,
          "no server works on "
              + place.location()
              + ": pass --model MODEL, for example --model house (the bundled model), or start"
              + " a server there",
          SuggestedCommand.of("serve").on(place.name()).with("--model", "house"),
          "does");
    }
  }

  /** Serves the workspace from this process if no server does. */
  void start() {
    served = local != null || place.owner().held();
    if (served || workers == null) {
      return;
    }
    Optional<JobStore> store = place.own();
    served = true;
    if (store.isPresent()) {
      local = LocalServer.start(place, store.get(), workers);
    }
  }

  /**
   * Makes sure that there is a server, if possible.
   *
   * @throws CommandException if that of this process stopped by itself
   */
  void check() {
    if (local != null) {
      local.requireRunning();
    } else if (ownerPolls.isDue()) {
      ownerPolls.poll(this::start);
    }
  }

  /** What to say about a workspace without a server; else empty. */
  String note() {
    return served ? "" : "no server works on " + place.location();
  }

  JobReader reader() {
    return local == null ? place.reader() : local.reader();
  }

  @Override
  public void close() {
    LocalServer present = local;
    local = null;
    if (present != null) {
      present.close();
    }
  }
}
