package dev.millrace.server.http;

import dev.millrace.core.job.TraceContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request from its first line to the end of its answer. Used by its own thread. */
final class Exchange implements Call {
  private final Desk desk;
  private final Incoming incoming;
  private final Outgoing outgoing;
  private final Stall stall;
  private final Supplier<HangUp.Sign> look;
  private final RequestBody content;
  private final Room.Share answer;
  private final String requestId = RequestIds.fresh();
  private final long start = System.nanoTime();
  private final RouteTable.Found found;
  private final @Nullable TraceContext trace;
  private @Nullable Principal principal;
  private Map<String, List<String>> query = Map.of();
  private @Nullable Object body;
  private @Nullable String error;

  Exchange(
      Desk desk, Incoming incoming, Outgoing outgoing, Stall stall, Supplier<HangUp.Sign> look) {
    this.desk = desk;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.stall = stall;
    this.look = look;
    this.content = new RequestBody(incoming, desk.bodies(), stall);
    this.answer = desk.answers().share();
    this.found = desk.routes().find(incoming.method(), incoming.path());
    this.trace =
        desk.begins(Traces.read(incoming.headers("traceparent"), incoming.headers("tracestate")));
  }

  /**
   * Answers.
   *
   * @throws ClientGone if there is nobody to answer any more
   */
  void run() {
    int status = 499;
    try {
      answer();
      status = outgoing.status();
    } catch (ClientGone e) {
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
    } catch (ClientGone e) {
      throw e;
    } catch (Throwable e) { // an Error too is the answer's, not the connection's
      fail(e);
    }
  }

  /** What an answer hands out is taken back if it does not get there. */
  private void deliver(Reply reply) throws InterruptedException {
    Runnable undelivered = reply.undelivered();
    boolean sent = false;
    try {
      if (undelivered != null && gone()) {
        throw new ClientGone(false, null);
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
  private void count(Reply reply) {
    if (reply instanceof Reply.Json json) {
      long characters = Weight.of(json.body());
      if (reply.undelivered() != null || incoming.isSafe()) {
        answer.atLeast(characters);
      } else {
        answer.insist(characters);
      }
    }
  }

  private void fail(Throwable thrown) {
    if (!incoming.isHttp1() && gone()) {
      throw new ClientGone(false, thrown);
    }
    Problem problem = ErrorMap.problem(thrown, requestId);
    if (outgoing.status() != 0) {
      throw new ClientGone(false, thrown); // half an answer cannot be taken back, only cut
    }
    error = problem.code() == null ? problem.kind().name() : problem.code();
    if (!incoming.isRead() && incoming.isHttp1()) { // over HTTP/2 only its stream is spoilt
      outgoing.closeAfter();
    }
    try {
      send(
          new Reply.Json(
              problem.kind().status(), problem.headers(), found.face().error(problem, requestId)));
    } catch (InterruptedException e) {
      throw new ClientGone(false, e);
    }
    if (outgoing.isLast()) {
      content.skip();
    }
  }

  private void send(Reply reply) throws InterruptedException {
    if (reply instanceof Reply.Stream) {
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
        || desk.admits(incoming, handler.route());
  }

  private Reply reply() throws InterruptedException {
    incoming.check();
    desk.checkHost(incoming);
    switch (found) {
      case RouteTable.Found.Handler handler -> {
        return handle(handler.route());
      }
      case RouteTable.Found.OtherMethods other -> {
        desk.limit(incoming, null);
        throw new Problem(
            Problem.Kind.METHOD_NOT_ALLOWED,
            null,
            "there is no " + word(incoming.method()) + " for this path, only " + other.allowed(),
            null,
            Map.of("Allow", String.join(", ", other.allowed())));
      }
      case RouteTable.Found.Nothing _ -> {
        desk.limit(incoming, null);
        throw new Problem(Problem.Kind.NOT_FOUND, "there is no such path; /docs/api lists them");
      }
    }
  }

  private static String word(String method) {
    return method.length() <= 20 && method.chars().allMatch(Character::isLetter)
        ? method
        : "such method";
  }

  private Reply handle(Route route) throws InterruptedException {
    principal = desk.admit(incoming, route);
    Optional<OpenApi.Operation> operation = desk.operation(route.operation());
    query = QueryText.parse(incoming.query());
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
    desk.log()
        .write(
            new AccessLog.Line(
                requestId,
                RequestIds.ofClient(incoming.header(RequestIds.HEADER)).orElse(null),
                incoming.method(),
                incoming.target(),
                status,
                nanos,
                principal == null ? null : principal.name(),
                incoming.remote(),
                outgoing.bytes(),
                trace == null ? null : trace.parent().substring(3, 35),
                error));
    Route route = found instanceof RouteTable.Found.Handler handler ? handler.route() : null;
    String method = route == null ? "_OTHER" : incoming.method();
    desk.tell(
        new Served(method, route, status, nanos, outgoing.bytes(), principal, trace, requestId));
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
  public String parameter(String name) {
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
  public boolean gone() {
    HangUp.Sign sign = look.get();
    if (sign == HangUp.Sign.TALKED) {
      outgoing.closeAfter();
    }
    return sign == HangUp.Sign.GONE;
  }

  @Override
  public void hold(long characters) {
    answer.add(characters);
  }
}
