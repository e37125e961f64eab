package dev.millrace.http.live;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.stream.EventStream;
import java.time.Duration;
import java.util.List;

/** The routes of what happens now: the live state, the text of a task, the last hour. */
public final class LiveRouteGroup implements RouteGroup {
  /** The shortest time between two live states. */
  static final Duration INTERVAL = Duration.ofMillis(500);

  private final LiveFeed feed;
  private final History history;
  private final JobSignals signals;
  private final EntityLookup lookup;
  private final List<Subscription> subscriptions;

  private LiveRouteGroup(
      JobStore store, IdResolver ids, ServerAccess access, ProcessClock clock, Duration interval) {
    this.lookup = new EntityLookup(store, ids);
    this.signals = new JobSignals(store);
    RemoteClaims remote = new RemoteClaims(clock);
    WorkTotals totals = new WorkTotals(access);
    this.subscriptions = List.of(store.onWork(remote), store.onWork(totals));
    WorkRates rates = new WorkRates(totals::now, clock);
    LiveStateReader reader =
        new LiveStateReader(store, new RunningTaskList(access, remote), rates, access, clock);
    this.feed = new LiveFeed(reader::read, interval);
    this.history =
        new History(new History.Sources(rates::now, store::statusCounts, access.models()), clock);
  }

  /** Starts to sample the throughput. */
  public static LiveRouteGroup start(
      JobStore store, IdResolver ids, ServerAccess access, ProcessClock clock) {
    LiveRouteGroup group = unstarted(store, ids, access, clock, INTERVAL);
    group.history.start();
    return group;
  }

  /** For tests that take samples themselves. */
  static LiveRouteGroup unstarted(
      JobStore store, IdResolver ids, ServerAccess access, ProcessClock clock, Duration interval) {
    return new LiveRouteGroup(store, ids, access, clock, interval);
  }

  History history() {
    return history;
  }

  LiveFeed feed() {
    return feed;
  }

  @Override
  public String prefix() {
    return "/v1";
  }

  /** Other paths below {@code /v1} are those of other groups. */
  @Override
  public List<String> prefixes() {
    return List.of("/v1/live", "/v1/history", "/v1/tasks");
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/live", "followLiveState", KeyScope.READ, this::live),
        new Route("GET", "/v1/history", "getThroughputHistory", KeyScope.READ, this::history),
        new Route(
            "GET", "/v1/tasks/{taskId}/output", "followTaskOutput", KeyScope.READ, this::output));
  }

  private ApiResponse live(ApiRequest call) {
    return EventStream.response(new LiveStream(feed, call::isClientGone), null);
  }

  private ApiResponse history(ApiRequest call) {
    int minutes = call.query("minutes").map(Integer::parseInt).orElse(History.MAX_MINUTES);
    return ApiResponse.ok(history.last(minutes).toJson());
  }

  private ApiResponse output(ApiRequest call) {
    return TaskOutputStream.of(call, lookup, signals);
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JobnikProblems.body(problem);
  }

  /** Ends the wait of all who watch. */
  @Override
  public void drain() {
    feed.close();
  }

  @Override
  public void close() {
    subscriptions.forEach(Subscription::close);
    signals.close();
    history.close();
    feed.close();
  }
}
