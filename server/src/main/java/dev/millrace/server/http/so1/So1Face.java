package dev.millrace.server.http.so1;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Face;
import dev.millrace.server.http.Idempotency;
import dev.millrace.server.http.Ids;
import dev.millrace.server.http.Page;
import dev.millrace.server.http.Principal;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Route;
import dev.millrace.server.http.Scope;
import dev.millrace.server.http.WebhookPolicy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Jobs as so1 has them, below {@code /api}. */
public final class So1Face implements Face {
  private static final Pattern CURSOR = Pattern.compile("\\d{1,18}");
  private static final Map<String, String> STREAMED =
      Map.of("Cache-Control", "no-store", "X-Accel-Buffering", "no");

  private final JobStore store;
  private final Ids ids;
  private final Idempotency idempotency;
  private final WebhookPolicy webhooks;
  private final Submission submission;
  private final LogHub hub;

  /**
   * @param types that this server has workers for: the actions that it knows
   * @param models names of those that it has; empty: it has none
   * @param webhooks which a job may come with
   */
  public So1Face(
      JobStore store,
      Set<String> types,
      Set<String> models,
      Ids ids,
      Idempotency idempotency,
      WebhookPolicy webhooks) {
    this(store, types, models, ids, idempotency, webhooks, LogHub.Pace.USUAL);
  }

  So1Face(
      JobStore store,
      Set<String> types,
      Set<String> models,
      Ids ids,
      Idempotency idempotency,
      WebhookPolicy webhooks,
      LogHub.Pace pace) {
    this.store = store;
    this.ids = ids;
    this.idempotency = idempotency;
    this.webhooks = webhooks;
    this.submission = new Submission(Set.copyOf(types), Set.copyOf(models));
    this.hub = new LogHub(store, pace);
  }

  @Override
  public String prefix() {
    return "/api";
  }

  @Override
  public List<Route> routes() {
    String job = "/api/jobs/{jobId}";
    return List.of(
        new Route("POST", "/api/jobs", "submitJob", Scope.SUBMIT, this::submit),
        new Route("GET", "/api/jobs", "listJobs", Scope.READ, this::list),
        new Route("GET", job, "getJob", Scope.READ, this::get),
        new Route("POST", job + "/cancel", "cancelJob", Scope.SUBMIT, this::cancel),
        new Route("GET", job + "/logs", "getJobLogs", Scope.READ, this::logs),
        new Route("GET", job + "/events", "streamJobEvents", Scope.READ, this::events),
        new Route("GET", "/api/auth/session", "getSession", Scope.READ, this::session));
  }

  /** so1 has one word for each kind, so what other faces call it does not matter. */
  @Override
  public JsonObject error(Problem problem, String requestId) {
    String code =
        switch (problem.kind()) {
          case MALFORMED -> "BAD_REQUEST";
          case INVALID -> "VALIDATION_ERROR";
          case TOO_LARGE -> "PAYLOAD_TOO_LARGE";
          case INTERNAL -> "INTERNAL_SERVER_ERROR";
          case UNAVAILABLE -> "SERVICE_UNAVAILABLE";
          default -> problem.kind().name();
        };
    JsonObject error =
        JsonObject.create()
            .put("code", code)
            .put("message", Redaction.secrets(problem.text()))
            .putIfPresent("details", problem.details());
    return JsonObject.create().put("requestId", requestId).put("error", error);
  }

  private Reply submit(Call call) {
    JobId id = idempotency.submit(call, () -> spec(call));
    JsonObject body = answer(call).put("job", So1Job.whole(store, view(id)));
    return new Reply.Json(202, Map.of("Location", "/api/jobs/" + EntityId.of(id)), body);
  }

  private JobSpec spec(Call call) {
    JobSpec spec = submission.spec(call);
    spec.webhooks().forEach(webhooks::check);
    return spec;
  }

  private Reply list(Call call) {
    Page page = Page.of(call);
    JobList found =
        JobList.of(
            store,
            call.query("state").map(So1State::parse).orElse(null),
            call.query("tag").map(JobSpec::requireTag).orElse(null),
            page.limit(),
            page.after() == null ? null : page.after().job());
    JsonObject body = answer(call).put("jobs", found.jobs().stream().map(So1Job::brief).toList());
    if (found.next() == null) {
      return Reply.ok(body);
    }
    EntityId last = EntityId.of(found.next());
    return new Reply.Json(200, page.headers(call, last), body.put("nextCursor", Page.cursor(last)));
  }

  private Reply get(Call call) {
    return Reply.ok(answer(call).put("job", So1Job.whole(store, view(id(call)))));
  }

  private Reply cancel(Call call) {
    JobId id = id(call);
    Answer answer = store.abort(id, Cause.user(call.principal().name(), null));
    JobView view = view(id);
    if (!answer.done() && So1State.of(view) != So1State.CANCELLED) {
      throw new Problem(
          Problem.Kind.CONFLICT,
          "the job cannot be cancelled any more: its state is "
              + So1State.of(view).word()
              + ", and only pending and running jobs can");
    }
    return Reply.ok(answer(call).put("job", So1Job.whole(store, view)));
  }

  private Reply logs(Call call) {
    JobView view = view(id(call));
    long after = call.query("cursor").map(text -> cursor("cursor", text)).orElse(0L);
    int limit = Page.limit(call);
    List<Entry> entries = store.events(view.header().id(), after, limit);
    Wording wording = Wording.of(view);
    JsonObject body =
        answer(call).put("lines", entries.stream().map(entry -> line(entry, wording)).toList());
    boolean more = !entries.isEmpty() && entries.getLast().number() < view.lastEvent();
    return Reply.ok(more ? body.put("nextCursor", entries.getLast().number()) : body);
  }

  private static JsonObject line(Entry entry, Wording wording) {
    String level =
        entry.fact() instanceof Fact.Line line ? line.level().toLowerCase(Locale.ROOT) : "info";
    return JsonObject.create()
        .put("cursor", entry.number())
        .put("at", entry.at().toString())
        .put("level", level)
        .put("line", wording.of(entry));
  }

  /**
   * A client that comes late and says nothing of where it was gets the end alone; a browser that
   * comes back although it has seen the end is told, by 204, not to come again.
   */
  private Reply events(Call call) {
    JobView view = view(id(call));
    Optional<Long> asked = call.query("cursor").map(text -> cursor("cursor", text));
    Optional<Long> seen = call.header("Last-Event-ID").map(text -> cursor("Last-Event-ID", text));
    boolean ended = view.state().isFinal();
    if (ended && asked.isEmpty() && seen.isPresent() && seen.get() >= Feed.lastId(store, view)) {
      return Reply.json(204, null);
    }
    long unsaid = ended ? view.lastEvent() : 0;
    long position = Math.min(asked.or(() -> seen).orElse(unsaid), view.lastEvent());
    return new Reply.Stream(
        200, STREAMED, "text/event-stream", sink -> hub.stream(view.header().id(), position, sink));
  }

  private Reply session(Call call) {
    Principal principal = call.principal();
    JsonObject session =
        JsonObject.create()
            .put("userId", principal.name())
            .put("orgId", Origin.ORGANISATION)
            .put("email", null);
    return Reply.ok(answer(call).put("session", session));
  }

  private static JsonObject answer(Call call) {
    return JsonObject.create().put("requestId", call.requestId());
  }

  private JobId id(Call call) {
    return ids.job(call.parameter("jobId"));
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

  /** How many jobs' logs are followed now. */
  public int following() {
    return hub.following();
  }

  @Override
  public void close() {
    hub.close();
  }
}
