package dev.millrace.http;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.limits.RequestMemoryBudget;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request from its first line to the end of its answer. Used by its own thread. */
final class RequestExchange implements ApiRequest {
  private final ServiceContext desk;
  private final IncomingRequest incoming;
  private final ResponseWriter outgoing;
  private final StallTimer stall;
  private final Supplier<DisconnectProbe.Result> look;
  private final RequestBody content;
  private final RequestMemoryBudget.Reservation answer;
  private final String requestId = RequestIds.generate();
  private final long start = System.nanoTime();
  private final RouteTable.Found found;
  private final @Nullable TraceContext trace;
  private @Nullable Principal principal;
  private Map<String, List<String>> query = Map.of();
  private @Nullable Object body;
  private @Nullable String error;

  RequestExchange(
      ServiceContext desk,
      IncomingRequest incoming,
      ResponseWriter outgoing,
      StallTimer stall,
      Supplier<DisconnectProbe.Result> look) {
    this.desk = desk;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.stall = stall;
    this.look = look;
    this.content = new RequestBody(incoming, desk.bodyReader(), stall);
    this.answer = desk.responseMemory().newReservation();
    this.found = desk.routes().find(incoming.method(), incoming.path());
    this.trace =
        desk.notifyStarted(
            TraceContextParser.parse(
                incoming.headers("traceparent"), incoming.headers("tracestate")));
  }

  /**
   * Answers.
   *
   * @throws ClientGoneException if there is nobody to answer any more
   */
  void run() {
    int status = 499;
    try {
      answer();
      status = outgoing.status();
    } catch (ClientGoneException e) {
      status = e.status();
      throw e;
    } finally {
      answer.close();
      done(status);
    }
  }

  private void answer() {
    try {
      deliver(reply());
    } catch (ClientGoneException e) {
      throw e;
    } catch (Throwable e) { // an Error too is the answer's, not the connection's
      fail(e);
    }
  }

  /** What an answer hands out is taken back if it does not get there. */
  private void deliver(ApiResponse reply) throws InterruptedException {
    Runnable undelivered = reply.undelivered();
    boolean sent = false;
    try {
      if (undelivered != null && isClientGone()) {
        throw new ClientGoneException(false, null);
      }
      count(reply);
      send(reply);
      sent = true;
    } finally {
      if (!sent && undelivered != null) {
        undelivered.run();
      }
    }
  }

  /** What was done must be told, whatever it takes; anything else may have to wait. */
  private void count(ApiResponse reply) {
    if (reply instanceof ApiResponse.Json json) {
      long characters = JsonTextSize.of(json.body());
      if (reply.undelivered() != null || incoming.isSafe()) {
        answer.reserveAtLeast(characters);
      } else {
        answer.forceAtLeast(characters);
      }
    }
  }

  private void fail(Throwable thrown) {
    if (!incoming.isHttp1() && isClientGone()) {
      throw new ClientGoneException(false, thrown);
    }
    Problem problem = ExceptionMapper.toProblem(thrown, requestId);
    if (outgoing.status() != 0) {
      throw new ClientGoneException(false, thrown); // half an answer cannot be taken back, only cut
    }
    error = problem.code() == null ? problem.kind().name() : problem.code();
    if (!incoming.isBodyRead() && incoming.isHttp1()) { // over HTTP/2 only its stream is spoilt
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
      content.skip();
    }
  }

  private void send(ApiResponse reply) throws InterruptedException {
    if (reply instanceof ApiResponse.Stream) {
      desk.streams().add(this);
      if (desk.isDraining()) {
        stop();
      }
    }
    boolean zip = Gzip.accepted(incoming.header("Accept-Encoding").orElse(null));
    outgoing.send(reply, requestId, incoming.method().equals("HEAD"), zip);
  }

  /** Asks a stream to end. */
  void stop() {
    stall.stop();
  }

  /** Whether its caller may still have what it has been given. */
  boolean isAdmitted() {
    return !(found instanceof RouteTable.Found.Handler handler)
        || desk.isStillAdmitted(incoming, handler.route());
  }

  private ApiResponse reply() throws InterruptedException {
    incoming.requireValid();
    desk.checkHost(incoming);
    switch (found) {
      case RouteTable.Found.Handler handler -> {
        return handle(handler.route());
      }
      case RouteTable.Found.OtherMethods other -> {
        desk.checkRate(incoming, null);
        throw new Problem(
            Problem.Kind.METHOD_NOT_ALLOWED,
            null,
            "there is no " + word(incoming.method()) + " for this path, only " + other.allowed(),
            null,
            Map.of("Allow", String.join(", ", other.allowed())));
      }
      case RouteTable.Found.Nothing _ -> {
        desk.checkRate(incoming, null);
        throw new Problem(Problem.Kind.NOT_FOUND, "there is no such path; /docs/api lists them");
      }
    }
  }

  private static String word(String method) {
    return method.length() <= 20 && method.chars().allMatch(Character::isLetter)
        ? method
        : "such method";
  }

  private ApiResponse handle(Route route) throws InterruptedException {
    principal = desk.admit(incoming, route);
    Optional<OpenApiDocument.Operation> operation = desk.operation(route.operationId());
    query = QueryString.parse(incoming.query());
    operation.ifPresent(known -> known.checkQuery(query));
    int max = route.isBulk() ? desk.limits().maxBulkBody() : desk.limits().maxBody();
    try (content) {
      body = content.read(max, operation);
      return route.handler().handle(this);
    } finally {
      body = null; // its memory is not counted any more
    }
  }

  private void done(int status) {
    long nanos = System.nanoTime() - start;
    desk.streams().remove(this);
    desk.accessLog()
        .write(
            new AccessLog.Line(
                requestId,
                RequestIds.fromClient(incoming.header(RequestIds.HEADER)).orElse(null),
                incoming.method(),
                incoming.target(),
                status,
                nanos,
                principal == null ? null : principal.name(),
                incoming.remoteAddress(),
                outgoing.bytes(),
                trace == null ? null : trace.parent().substring(3, 35),
                error));
    Route route = found instanceof RouteTable.Found.Handler handler ? handler.route() : null;
    String method = route == null ? "_OTHER" : incoming.method();
    desk.notifyFinished(
        new CompletedRequest(
            method, route, status, nanos, outgoing.bytes(), principal, trace, requestId));
  }

  @Override
  public String requestId() {
    return requestId;
  }

  @Override
  public Principal principal() {
    if (principal == null) {
      throw new IllegalStateException("nobody was admitted");
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
    DisconnectProbe.Result sign = look.get();
    if (sign == DisconnectProbe.Result.SENT_DATA) {
      outgoing.closeConnectionAfter();
    }
    return sign == DisconnectProbe.Result.DISCONNECTED;
  }

  @Override
  public void reserveMemory(long characters) {
    answer.reserve(characters);
  }
}
