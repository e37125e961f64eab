package dev.millrace.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.bulk.BulkRoutes;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.claim.TaskDispatcher;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.search.JobSearch;
import dev.millrace.http.search.SearchRoutes;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The routes of the Jobnik API below {@code /v1}: jobs, stages and tasks, for clients and for
 * remote workers. Leases expire when the store is swept, which every {@code Server} on the store
 * does.
 */
public final class JobnikRouteGroup implements RouteGroup {
  private final TaskDispatcher dispatcher;
  private final RecentWorkerTypes workerTypes;
  private final JobSearch search;
  private final List<Route> routes = new ArrayList<>();

  /** For a server without workers. */
  public JobnikRouteGroup(
      JobStore store,
      IdResolver ids,
      IdempotentSubmitter submitter,
      WebhookPolicy webhooks,
      Backoff stageBackoff) {
    this(store, ids, submitter, webhooks, stageBackoff, new StageTaskCheck(Set.of(), Set.of()));
  }

  /**
   * @param stageBackoff of stages whose request names none
   * @param tasks what the workers of the server would refuse
   */
  public JobnikRouteGroup(
      JobStore store,
      IdResolver ids,
      IdempotentSubmitter submitter,
      WebhookPolicy webhooks,
      Backoff stageBackoff,
      StageTaskCheck tasks) {
    this.search = new JobSearch(store);
    this.dispatcher = TaskDispatcher.start(store);
    this.workerTypes = RecentWorkerTypes.load(store, InstantSource.system());
    EntityLookup lookup = new EntityLookup(store, ids);
    StageContextCache contexts = new StageContextCache(store);
    routes.addAll(new JobRoutes(lookup, submitter, webhooks, tasks).routes());
    routes.addAll(new RetryRoutes(lookup, submitter, webhooks).routes());
    routes.addAll(new JobExportRoutes(lookup).routes());
    routes.addAll(new PruneRoutes(store).routes());
    routes.addAll(new SearchRoutes(search).routes());
    routes.addAll(new BulkRoutes(lookup, webhooks).routes());
    routes.addAll(new JobLogRoutes(lookup).routes());
    routes.addAll(new SessionRoutes().routes());
    routes.addAll(new StageRoutes(lookup).routes());
    routes.addAll(new TaskRoutes(lookup, contexts).routes());
    routes.addAll(new LeverRoutes(lookup, stageBackoff).routes());
    routes.addAll(new WorkerRoutes(lookup, contexts, dispatcher, workerTypes).routes());
    routes.replaceAll(ExtensionFields::filter);
  }

  /** Adds routes of other packages whose errors look like these; before the service is opened. */
  public void add(List<Route> more) {
    routes.addAll(more);
  }

  @Override
  public String prefix() {
    return "/v1";
  }

  /** The first two segments of its paths: others below {@code /v1} are OpenAI's. */
  @Override
  public List<String> prefixes() {
    return routes.stream()
        .map(route -> String.join("/", List.of(route.path().split("/")).subList(0, 3)))
        .distinct()
        .toList();
  }

  @Override
  public List<Route> routes() {
    return List.copyOf(routes);
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JobnikProblems.body(problem);
  }

  /** The types that remote workers ask for. */
  public RecentWorkerTypes workerTypes() {
    return workerTypes;
  }

  /** The number of requests that wait for a task. */
  public int waiting() {
    return dispatcher.waiting();
  }

  /** Ends the waits for tasks. */
  @Override
  public void drain() {
    dispatcher.close();
  }

  @Override
  public void close() {
    search.close();
    dispatcher.close();
  }
}
