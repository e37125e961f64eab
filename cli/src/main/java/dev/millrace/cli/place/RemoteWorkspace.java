package dev.millrace.cli.place;

import dev.millrace.api.PrunableJob;
import dev.millrace.api.UnreadableJob;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Shell;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.PrunableJobs;
import dev.millrace.client.Remote;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The jobs of a server, over HTTP. No other class uses the HTTP client, so that commands on a
 * directory start without loading it.
 */
final class RemoteWorkspace implements Place {
  static final String KEY = "MILLRACE_API_KEY";

  /** Each poll takes a few requests; a change ends the wait for the next one. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private final String name;
  private final Remote remote;

  private RemoteWorkspace(String name, MillraceClient client) {
    this.name = name;
    this.remote = new Remote(client);
  }

  static Place at(Shell shell, String url) {
    try {
      MillraceClient client = MillraceClient.builder(new URI(url)).key(shell.variable(KEY)).build();
      return new RemoteWorkspace(url, client);
    } catch (URISyntaxException e) {
      throw new UsageException("\"" + url + "\" is not a URL: " + e.getReason());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Work work() {
    return remote.work();
  }

  @Override
  public JobReader reader() {
    return remote;
  }

  /**
   * As in Jobnik, the API lets a stage be approved that is open already, which a directory refuses:
   * that is asked first.
   */
  @Override
  public RetryResult retry(RetryRequest request) {
    return remote.retry(request);
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    Optional<Outcome> refusal =
        lever instanceof Lever.Approve(int stage) ? refusal(id, stage) : Optional.empty();
    return refusal.orElseGet(() -> remote.controls().apply(id, lever, cause));
  }

  private Optional<Outcome> refusal(JobId id, int stage) {
    return remote
        .find(id)
        .flatMap(job -> job.stages().stream().filter(it -> it.number() == stage).findFirst())
        .map(StageView::state)
        .filter(state -> StageTransitions.TABLE.next(state, StageEvent.APPROVE).isEmpty())
        .map(state -> StageTransitions.TABLE.refusal(state, StageEvent.APPROVE))
        .map(Outcome.Refused::new);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return remote.controls().prune(before, states);
  }

  @Override
  public PruneDryRun dryRunPrune(Instant before, Set<JobState> states) {
    PrunableJobs found = remote.prunable(before, states);
    Map<JobId, String> unreadable = new LinkedHashMap<>();
    for (UnreadableJob job : found.unreadable()) {
      unreadable.put(job.ownId(), job.message().strip().replace('\n', ' '));
    }
    return new PruneDryRun(found.jobs().stream().map(PrunableJob::ownId).toList(), unreadable);
  }

  @Override
  public Map<EntityId, JsonObject> frozenTerms(JobId id) {
    return remote.frozenTerms(id);
  }

  /** The server answers, but the API does not say which process owns the workspace. */
  @Override
  public PlaceOwner owner() {
    return new PlaceOwner(true, true, OptionalLong.empty(), JsonObject.create());
  }

  @Override
  public JobArtifacts artifacts(JobId id) {
    return JobArtifacts.NONE;
  }

  @Override
  public boolean metersDrafts() {
    return false;
  }

  @Override
  public Duration pollInterval() {
    return ROUND;
  }

  @Override
  public OwnablePlace requireOwnable() {
    close();
    throw new UsageException(
        "DIR must be a directory here, not a URL: the jobs of "
            + name
            + " belong to the server there; run this on its machine, with its workspace");
  }

  @Override
  public void close() {
    remote.close();
  }
}
