package dev.millrace.cli.place;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.server.infer.LoggedTerms;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A workspace in a directory of this machine. */
public record LocalWorkspace(String name, Workspace workspace) implements OwnablePlace {
  private static final Duration ROUND = Duration.ofMillis(30);

  @Override
  public Work work() {
    return workspace.work();
  }

  @Override
  public JobReader reader() {
    return workspace.reader();
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return workspace.submitter().retry(request);
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return workspace.controls().apply(id, lever, cause);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return workspace.controls().prune(before, states);
  }

  @Override
  public PruneDryRun dryRunPrune(Instant before, Set<JobState> states) {
    return PruneDryRun.of(reader(), before, states);
  }

  @Override
  public Map<EntityId, JsonObject> frozenTerms(JobId id) {
    return LoggedTerms.of(reader(), id);
  }

  @Override
  public @Nullable String identity() {
    return workspace.identity().orElse(null);
  }

  @Override
  public Optional<TakenOutJob> takenOut(JobId id) {
    return workspace.takenOut(id);
  }

  @Override
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    workspace.forEachTakenOut(jobs);
  }

  @Override
  public PlaceOwner owner() {
    OwnerStatus owner = workspace.owner();
    return new PlaceOwner(owner.held(), owner.ready(), owner.pid(), owner.info());
  }

  @Override
  public JobArtifacts artifacts(JobId id) {
    return JobArtifacts.of(workspace, id);
  }

  @Override
  public boolean metersDrafts() {
    return true;
  }

  @Override
  public Duration pollInterval() {
    return ROUND;
  }

  @Override
  public OwnablePlace requireOwnable() {
    return this;
  }

  @Override
  public Path programs() {
    return workspace.programs();
  }

  @Override
  public String location() {
    return workspace.root().toString();
  }

  @Override
  public Optional<JobStore> own() {
    return workspace.own();
  }

  @Override
  public JobStore awaitOwnership() throws InterruptedException {
    return workspace.awaitOwnership();
  }

  @Override
  public void announceStart(JsonObject info) {
    workspace.announceStart(info);
  }

  @Override
  public void announce(JsonObject info) {
    workspace.announce(info);
  }

  @Override
  public void withdraw() {
    workspace.withdraw();
  }

  @Override
  public void withdrawStaleAnnouncement() {
    if (OwnerFiles.isAnnouncementStale(workspace.root())) {
      workspace.withdraw();
    }
  }

  @Override
  public boolean mayBeOwnedBy(long pid) {
    return OwnerFiles.mayHoldLock(workspace.root(), pid);
  }

  @Override
  public void close() {}
}
