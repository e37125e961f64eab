package dev.millrace.http;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.limits.RequestMemoryBudget;
import dev.millrace.http.limits.RequestSlots;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.QueryString;
import dev.millrace.http.route.RequestIds;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteTable;
import dev.millrace.http.tracing.TraceContextParser;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.http.transport.DisconnectProbe;
import dev.millrace.http.transport.Gzip;
import dev.millrace.http.transport.IncomingRequest;
import dev.millrace.http.transport.ResponseWriter;
import dev.millrace.http.transport.StallTimer;
import dev.millrace.server.infer.CompileCaller;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request, from its first line to the end of its response. Used by one thread. */
final class RequestExchange implements ApiRequest {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final ServiceContext context;
  private final IncomingRequest incoming;
  private final ResponseWriter outgoing;
  private final StallTimer stall;
  private final Supplier<DisconnectProbe.Result> probe;
  private final RequestBody requestBody;
  private final RequestMemoryBudget.Reservation memory;
  private final String requestId = RequestIds.generate();
  private final long start = System.nanoTime();
  private final RouteTable.Found found;
  private final @Nullable TraceContext trace;
  private @Nullable Principal principal;
  private RequestSlots.@Nullable Holder slots;
  private Map<String, List<String>> query = Map.of();
  private @Nullable Object body;
  private @Nullable String error;

  RequestExchange(
      ServiceContext context,
      IncomingRequest incoming,
      ResponseWriter outgoing,
      StallTimer stall,
      Supplier<DisconnectProbe.Result> probe) {
    this.context = context;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.stall = stall;
    this.probe = probe;
    this.requestBody = new RequestBody(incoming, context.bodyReader(), stall);
    this.memory = context.responseMemory().newReservation();
    this.found = context.routes().find(incoming.method(), incoming.path());
    this.trace =
        context.notifyStarted(
            TraceContextParser.parse(
                incoming.headers("traceparent"), incoming.headers("tracestate")));
  }

  /**
   * Handles the request and sends the response.
   *
   * @throws ClientGoneException if the client disconnected or was too slow
   */
  void run() {
    int status = 499;
    try {
      respond();
      status = outgoing.status();
    } catch (ClientGoneException e) {
      status = e.status();
      throw e;
    } finally {
      memory.close();
      if (slots != null) {
        slots.close();
      }
      finish(status);
    }
  }

  private void respond() {
    try {
      deliver(dispatch());
    } catch (ClientGoneException e) {
      throw e;
    } catch (Throwable e) { // also an Error: it concerns this request, not the connection
      fail(e);
    }
  }

  /** Sends a response; runs its {@code undelivered} action if that fails. */
  private void deliver(ApiResponse response) throws InterruptedException {
    Runnable undelivered = response.undelivered();
    boolean sent = false;
    try {
      if (undelivered != null && isClientGone()) {
        throw new ClientGoneException(false, null);
      }
      reserve(response);
      if (response instanceof ApiResponse.Stream) {
        reserveStream();
      }
      send(response);
      sent = true;
    } finally {
      if (!sent && undelivered != null) {
        undelivered.run();
      }
    }
  }

  /** Reserves memory for a response. A response that reports a change is never refused. */
  private void reserve(ApiResponse response) {
    if (response instanceof ApiResponse.Json json) {
      long characters = JsonTextSize.of(json.body());
      if (response.undelivered() != null || incoming.isSafe()) {
        memory.reserveAtLeast(characters);
      } else {
        memory.forceAtLeast(characters);
      }
    }
  }

  private void fail(Throwable thrown) {
    if (!incoming.isHttp1() && isClientGone()) {
      throw new ClientGoneException(false, thrown);
    }
    Problem problem = ExceptionMapper.toProblem(thrown, requestId);
    if (outgoing.status() != 0) {
      // part of the response is sent: it can only be cut off
      throw new ClientGoneException(false, thrown);
    }
    error = problem.code() == null ? problem.kind().name() : problem.code();
    if (!incoming.isBodyRead() && incoming.isHttp1()) { // with HTTP/2 only this stream is affected
      outgoing.closeConnectionAfter();
    }
    try {
      send(
          new ApiResponse.Json(
              problem.kind().status(), problem.headers(), found.group().error(problem, requestId)));
    } catch (InterruptedException e) {
      throw new ClientGoneException(false, e);
    }
    if (outgoing.closesConnection()) {
      requestBody.skip();
    }
  }

  private void send(ApiResponse response) throws InterruptedException {
    if (response instanceof ApiResponse.Stream) {
      context.streams().add(this);
      if (context.isDraining()) {
        stop();
      }
    }
    context
        .allowance(incoming)
        .map(left -> found.group().rateHeaders(left.burst(), left.requests(), left.untilFull()))
        .ifPresent(outgoing::addHeaders);
    boolean zip = Gzip.accepted(incoming.header("Accept-Encoding").orElse(null));
    try {
      outgoing.send(response, requestId, incoming.method().equals("HEAD"), zip);
    } catch (ClientGoneException e) {
      if (e.isSlow()) {
        logUnread();
      }
      throw e;
    }
  }

  private void logUnread() {
    String message =
        "%s %s of key \"%s\": its client read nothing for %.1f s and was dropped (request %s, after"
            + " %.1f s and %d bytes)";
    LOG.log(
        Level.WARNING,
        message.formatted(
            incoming.method(),
            AccessLog.redact(incoming.path()),
            principal == null ? "" : principal.name(),
            outgoing.timeoutNanos() / 1e9,
            requestId,
            (System.nanoTime() - start) / 1e9,
            outgoing.bytes()));
  }

  /** Ends a stream without cutting what is being written. */
  void stop() {
    stall.stop();
  }

  @Override
  public boolean isAdmitted() {
    return !(found instanceof RouteTable.Found.Handler handler)
        || context.isStillAdmitted(incoming, handler.route());
  }

  private ApiResponse dispatch() throws InterruptedException {
    incoming.requireValid();
    if (!(found instanceof RouteTable.Found.Handler known) || !isHealthCheck(known.route())) {
      context.checkHost(incoming);
    }
    switch (found) {
      case RouteTable.Found.Handler handler -> {
        return handle(handler.route());
      }
      case RouteTable.Found.OtherMethods other -> {
        context.checkRate(incoming, null);
        throw new Problem(
            Problem.Kind.METHOD_NOT_ALLOWED,
            null,
            "there is no " + word(incoming.method()) + " for this path, only " + other.allowed(),
            null,
            Map.of("Allow", String.join(", ", other.allowed())));
      }
      case RouteTable.Found.Nothing _ -> {
        context.checkRate(incoming, null);
        throw new Problem(Problem.Kind.NOT_FOUND, "there is no such path; /docs/api lists them");
      }
    }
  }

  /** Such a check may come from another machine's balancer, by whatever name it has for this one. */
  private static boolean isHealthCheck(Route route) {
    return route.path().startsWith("/health") || route.path().equals("/liveness");
  }

  private static String word(String method) {
    return method.length() <= 20 && method.chars().allMatch(Character::isLetter)
        ? method
        : "such method";
  }

  private ApiResponse handle(Route route) throws InterruptedException {
    principal = context.admit(incoming, route);
    slots = context.slotsOf(incoming, principal);
    slots.open(RequestSlots.Kind.REQUEST);
    Optional<OpenApiDocument.Operation> operation = context.operation(route.operationId());
    query = QueryString.parse(incoming.query());
    operation.ifPresent(known -> known.checkQuery(query));
    int max = route.isBulk() ? context.sizes().maxBulkBody() : context.sizes().maxBody();
    try (requestBody) {
      body = requestBody.read(max, operation);
      return CompileCaller.<ApiResponse, InterruptedException>call(
          principal.name(), () -> route.handler().handle(this));
    } finally {
      body = null; // its memory is no longer counted
    }
  }

  private void finish(int status) {
    CompletedRequest.Response response =
        new CompletedRequest.Response(status, System.nanoTime() - start, outgoing.bytes());
    context.streams().remove(this);
    context
        .accessLog()
        .write(
            new AccessLog.Line(
                new AccessLog.Request(
                    requestId,
                    RequestIds.fromClient(incoming.header(RequestIds.HEADER)).orElse(null),
                    incoming.method(),
                    incoming.target()),
                new AccessLog.Caller(
                    principal == null ? null : principal.name(),
                    incoming.remoteAddress(),
                    trace == null ? null : trace.parent().substring(3, 35)),
                response,
                error));
    Route route = found instanceof RouteTable.Found.Handler handler ? handler.route() : null;
    String method = route == null ? "_OTHER" : incoming.method();
    context.notifyFinished(
        new CompletedRequest(
            new CompletedRequest.Request(requestId, method, route, principal, trace), response));
  }

  @Override
  public String requestId() {
    return requestId;
  }

  @Override
  public Principal principal() {
    if (principal == null) {
      throw new IllegalStateException("no caller was admitted");
    }
    return principal;
  }

  @Override
  public String path() {
    return incoming.path();
  }

  @Override
  public String target() {
    return incoming.target();
  }

  @Override
  public String pathParameter(String name) {
    String value =
        found instanceof RouteTable.Found.Handler handler ? handler.parameters().get(name) : null;
    if (value == null) {
      throw new IllegalStateException("no parameter {" + name + "} in the path");
    }
    return value;
  }

  @Override
  public Optional<String> query(String name) {
    return Optional.ofNullable(query.get(name)).map(List::getFirst);
  }

  @Override
  public Optional<String> header(String name) {
    return incoming.header(name);
  }

  @Override
  public @Nullable Object body() {
    return body;
  }

  @Override
  public @Nullable TraceContext trace() {
    return trace;
  }

  @Override
  public boolean isClientGone() {
    DisconnectProbe.Result result = probe.get();
    if (result == DisconnectProbe.Result.SENT_DATA) {
      outgoing.closeConnectionAfter();
    }
    return result == DisconnectProbe.Result.DISCONNECTED;
  }

  @Override
  public void reserveMemory(long characters) {
    memory.reserve(characters);
  }

  @Override
  public void reserveStream() {
    Objects.requireNonNull(slots, "no caller was admitted").open(RequestSlots.Kind.STREAM);
  }

  @Override
  public void reserveLongPoll() {
    Objects.requireNonNull(slots, "no caller was admitted").open(RequestSlots.Kind.LONG_POLL);
  }
}
