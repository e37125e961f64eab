package dev.millrace.http.so1;

import dev.millrace.api.CallerIdentity;
import dev.millrace.api.LogLine;
import dev.millrace.api.So1Job;
import dev.millrace.api.So1State;
import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.IdempotentSubmitter.Submitted;
import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.PageRequest;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The routes of the so1 API below {@code /api}. */
public final class So1RouteGroup implements RouteGroup {
  /** Names the idempotency keys of this API. */
  private static final String API = "so1";

  private static final Pattern CURSOR = Pattern.compile("\\d{1,18}");

  /** The most characters of the reason for a cancellation. */
  private static final int MAX_REASON = 500;

  private static final Map<String, String> STREAMED =
      Map.of("Cache-Control", "no-store", "X-Accel-Buffering", "no");

  private final JobStore store;
  private final IdResolver ids;
  private final IdempotentSubmitter submitter;
  private final WebhookPolicy webhooks;
  private final SubmissionReader submission;
  private final LogHub hub;

  /**
   * @param types the stage types that this server has workers for
   * @param models the names of its models; empty if it has none
   * @param remote the types that remote workers ask for; they are actions too
   * @param webhooks which webhooks a job may have
   */
  public So1RouteGroup(
      JobStore store,
      Set<String> types,
      Set<String> models,
      RecentWorkerTypes remote,
      IdResolver ids,
      IdempotentSubmitter submitter,
      WebhookPolicy webhooks) {
    this(
        store,
        new SubmissionReader(new KnownActions(types, remote), Set.copyOf(models)),
        ids,
        submitter,
        webhooks,
        LogHub.Intervals.DEFAULT);
  }

  So1RouteGroup(
      JobStore store,
      SubmissionReader submission,
      IdResolver ids,
      IdempotentSubmitter submitter,
      WebhookPolicy webhooks,
      LogHub.Intervals intervals) {
    this.store = store;
    this.ids = ids;
    this.submitter = submitter;
    this.webhooks = webhooks;
    this.submission = submission;
    this.hub = new LogHub(store, intervals);
  }

  @Override
  public String prefix() {
    return "/api";
  }

  @Override
  public List<Route> routes() {
    String job = "/api/jobs/{jobId}";
    return List.of(
        new Route("POST", "/api/jobs", "submitJob", KeyScope.SUBMIT, this::submit),
        new Route("GET", "/api/jobs", "listJobs", KeyScope.READ, this::list),
        new Route("GET", job, "getJob", KeyScope.READ, this::get),
        new Route("POST", job + "/cancel", "cancelJob", KeyScope.SUBMIT, this::cancel),
        new Route("GET", job + "/logs", "getJobLogs", KeyScope.READ, this::logs),
        new Route("GET", job + "/events", "streamJobEvents", KeyScope.READ, this::events),
        new Route("GET", "/api/auth/session", "getSession", KeyScope.READ, this::session));
  }

  /** so1 has one code for each kind of problem; the problem's own code is not used. */
  @Override
  public JsonObject error(Problem problem, String requestId) {
    String code =
        switch (problem.kind()) {
          case MALFORMED -> "BAD_REQUEST";
          case INVALID -> "VALIDATION_ERROR";
          case TOO_LARGE -> "PAYLOAD_TOO_LARGE";
          case INTERNAL -> "INTERNAL_SERVER_ERROR";
          case UNAVAILABLE, INSUFFICIENT_STORAGE -> "SERVICE_UNAVAILABLE";
          default -> problem.kind().name();
        };
    JsonObject error =
        JsonObject.create()
            .put("code", code)
            .put("message", Redaction.redactSecrets(problem.text()))
            .putIfPresent("details", problem.details());
    return JsonObject.create().put("requestId", requestId).put("error", error);
  }

  /** A new job is shown as it was accepted, however far it is by now; a repeated one as it is. */
  private ApiResponse submit(ApiRequest call) {
    Submitted submitted = submitter.submit(API, call, () -> spec(call));
    JobView view = view(submitted.id());
    So1Job job = submitted.created() ? So1JobMapper.accepted(view) : So1JobMapper.full(store, view);
    return new ApiResponse.Json(
        202, Map.of("Location", "/api/jobs/" + job.id()), response(call).put("job", job.toJson()));
  }

  private JobSpec spec(ApiRequest call) {
    JobSpec spec = submission.read(call);
    spec.webhooks().forEach(webhooks::check);
    return spec;
  }

  private ApiResponse list(ApiRequest call) {
    PageRequest page = PageRequest.of(call);
    So1JobPage found =
        So1JobPage.of(
            store,
            call.query("state").map(So1StateMapping::parse).orElse(null),
            call.query("tag").map(JobSpec::requireTag).orElse(null),
            page.limit(),
            page.after() == null ? null : page.after().job());
    JsonObject body =
        response(call)
            .put(
                "jobs",
                found.jobs().stream().map(So1JobMapper::brief).map(So1Job::toJson).toList());
    if (found.next() == null) {
      return ApiResponse.ok(body);
    }
    EntityId last = EntityId.of(found.next());
    return new ApiResponse.Json(
        200, page.nextPageHeaders(call, last), body.put("nextCursor", PageRequest.cursor(last)));
  }

  private ApiResponse get(ApiRequest call) {
    return ApiResponse.ok(
        response(call).put("job", So1JobMapper.full(store, view(id(call))).toJson()));
  }

  private ApiResponse cancel(ApiRequest call) {
    JobId id = id(call);
    Cause cause = Cause.user(call.principal().name(), cancelReason(call));
    Outcome outcome = store.apply(id, new Lever.Abort(), cause);
    JobView view = view(id);
    if (!outcome.isDone() && So1StateMapping.of(view) != So1State.CANCELLED) {
      throw new Problem(
          Problem.Kind.CONFLICT,
          "the job cannot be cancelled any more: its state is "
              + So1StateMapping.of(view).word()
              + ", and only pending and running jobs can");
    }
    return ApiResponse.ok(response(call).put("job", So1JobMapper.full(store, view).toJson()));
  }

  private static @Nullable String cancelReason(ApiRequest call) {
    String reason = call.body() == null ? null : call.bodyObject().string("reason", null);
    if (reason != null
        && (reason.isBlank() || reason.codePointCount(0, reason.length()) > MAX_REASON)) {
      throw new Problem(
          Problem.Kind.INVALID,
          "reason must be a text of 1 to " + MAX_REASON + " characters that is not blank");
    }
    return reason;
  }

  private ApiResponse logs(ApiRequest call) {
    JobView view = view(id(call));
    long after = call.query("cursor").map(text -> cursor("cursor", text)).orElse(0L);
    int limit = PageRequest.limit(call);
    List<LogEntry> entries = store.events(view.header().id(), after, limit);
    LogLineFormatter formatter = LogLineFormatter.of(view);
    JsonObject body =
        response(call)
            .put("lines", entries.stream().map(entry -> line(entry, formatter).toJson()).toList());
    boolean more = !entries.isEmpty() && entries.getLast().number() < view.lastEvent();
    return ApiResponse.ok(more ? body.put("nextCursor", entries.getLast().number()) : body);
  }

  private static LogLine line(LogEntry entry, LogLineFormatter formatter) {
    String level =
        entry.fact() instanceof Fact.WorkerLogLine line
            ? line.level().toLowerCase(Locale.ROOT)
            : "info";
    return new LogLine(entry.number(), entry.at(), level, formatter.of(entry));
  }

  /**
   * Streams the events of a job. Without a position, a job that has ended sends only its final
   * status. A browser sends {@code Last-Event-ID} when it reconnects, and keeps the cursor of its
   * URL: the header is newer and wins. After the final status it gets a 204, which stops it.
   */
  private ApiResponse events(ApiRequest call) {
    JobView view = view(id(call));
    Optional<Long> cursor = call.query("cursor").map(text -> cursor("cursor", text));
    Optional<Long> seen = call.header("Last-Event-ID").map(text -> cursor("Last-Event-ID", text));
    boolean ended = view.state().isFinal();
    if (ended && seen.isPresent() && seen.get() >= LogFeed.lastId(store, view)) {
      return ApiResponse.json(204, null);
    }
    long start = ended ? view.lastEvent() : 0;
    long position = Math.min(seen.or(() -> cursor).orElse(start), view.lastEvent());
    return new ApiResponse.Stream(
        200, STREAMED, "text/event-stream", sink -> hub.stream(view.header().id(), position, sink));
  }

  private ApiResponse session(ApiRequest call) {
    CallerIdentity caller =
        new CallerIdentity(call.principal().name(), Principal.ORGANISATION, null);
    return ApiResponse.ok(response(call).put("session", caller.toJson()));
  }

  private static JsonObject response(ApiRequest call) {
    return JsonObject.create().put("requestId", call.requestId());
  }

  private JobId id(ApiRequest call) {
    return ids.job(call.pathParameter("jobId"));
  }

  private JobView view(JobId id) {
    return store
        .find(id)
        .orElseThrow(() -> new Problem(Problem.Kind.NOT_FOUND, "there is no such job"));
  }

  private static long cursor(String name, String text) {
    if (!CURSOR.matcher(text).matches()) {
      throw new Problem(
          Problem.Kind.INVALID,
          name + " must be the number of an event: digits only, such as 42; 0 is the beginning");
    }
    return Long.parseLong(text);
  }

  /** The number of jobs whose logs are followed. */
  public int following() {
    return hub.following();
  }

  @Override
  public void close() {
    hub.close();
  }
}
