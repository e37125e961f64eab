package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes ownership of a workspace: at once, or when its owner releases it. With {@code --drain} it
 * watches the owner, and there is nothing to do if that one drains the workspace.
 */
final class WorkspaceTakeover {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final Set<JobState> ACTIVE = EnumSet.of(JobState.PENDING, JobState.IN_PROGRESS);

  private final OwnablePlace place;
  private final ServeSettings settings;
  private final String ifOwned;
  private int status = ExitCode.OK;

  WorkspaceTakeover(OwnablePlace place, ServeSettings settings, String ifOwned) {
    this.place = place;
    this.settings = settings;
    this.ifOwned = ifOwned;
  }

  /** The workspace's store; null if there is nothing to do, then {@link #status} is the result. */
  @Nullable JobStore await() throws InterruptedException {
    JobReader reader = place.reader();
    int failedBefore = settings.drain() ? failed(reader) : 0;
    Optional<JobStore> store = place.own();
    if (store.isPresent()) {
      checkFailures(
          reader, failedBefore); // taking over fails jobs that crashed their server too often
      return store.get();
    }
    String owner = "workspace " + place.location() + " is owned by " + owner();
    if (!settings.waitForOwner()) {
      throw new CommandException(owner + "; " + ifOwned);
    }
    if (settings.drain()) {
      LOG.log(Level.INFO, owner + "; watching it, and taking over if it dies");
      return watch(reader, failedBefore);
    }
    LOG.log(Level.INFO, owner + "; waiting to take over");
    return place.awaitOwnership();
  }

  private String owner() {
    PlaceOwner owner = place.owner();
    return owner.pid().isPresent() ? "pid " + owner.pid().getAsLong() : "another process";
  }

  /** The exit status: failed if jobs failed before this server took over. */
  int status() {
    return status;
  }

  private @Nullable JobStore watch(JobReader reader, int failedBefore) throws InterruptedException {
    while (true) {
      JobId active = active(reader);
      Optional<JobStore> store = active == null ? Optional.empty() : place.own();
      if (active == null || store.isPresent()) {
        checkFailures(reader, failedBefore);
        LOG.log(Level.INFO, active == null ? "the owner has drained the workspace" : "taking over");
        return store.orElse(null);
      }
      reader.awaitChange(active, POLL_INTERVAL);
    }
  }

  private void checkFailures(JobReader reader, int failedBefore) {
    if (settings.drain() && failed(reader) > failedBefore) {
      status = ExitCode.FAILED;
      LOG.log(
          Level.WARNING,
          "jobs failed before the drain began; "
              + SuggestedCommand.of("jobs")
                  .on(place.name())
                  .with("--state", "failed")
                  .to("lists them"));
    }
  }

  private static int failed(JobReader reader) {
    return reader.counts().getOrDefault(JobState.FAILED, 0);
  }

  /** A job with something to do for our types; null if there is none. */
  private @Nullable JobId active(JobReader reader) {
    for (JobId id : reader.list(JobReader.Query.in(ACTIVE))) {
      JobView view = reader.find(id).orElse(null);
      if (view != null
          && view.state().isOpen()
          && view.stages().stream()
              .anyMatch(
                  stage ->
                      stage.state().isOpen()
                          && settings.workers().types().contains(stage.type()))) {
        return id;
      }
    }
    return null;
  }
}
