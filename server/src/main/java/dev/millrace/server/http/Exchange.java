package dev.millrace.server.http;

import dev.millrace.core.job.TraceContext;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
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
  private final String requestId = RequestIds.fresh();
  private final long start = System.nanoTime();
  private final RouteTable.Found found;
  private final @Nullable TraceContext trace;
  private @Nullable Principal principal;
  private Map<String, List<String>> query = Map.of();
  private @Nullable Object body;
  private @Nullable String error;

  /** Whether what the client sends can no longer be understood. */
  private boolean broken;

  Exchange(
      Desk desk,
      Incoming incoming,
      Outgoing outgoing,
      Stall stall,
      Supplier<HangUp.Sign> look) {
    this.desk = desk;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.stall = stall;
    this.look = look;
    this.found = desk.routes().find(incoming.method(), incoming.path());
    this.trace =
        desk.begins(
            Traces.read(incoming.headers("traceparent"), incoming.headers("tracestate")));
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
      done(status);
    }
  }

  private void answer() {
    try {
      send(reply());
    } catch (ClientGone e) {
      throw e;
    } catch (Throwable e) { // an Error too is the answer's, not the connection's
      fail(e);
    }
  }

  private void fail(Throwable thrown) {
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
              problem.kind().status(),
              problem.headers(),
              found.face().error(problem, requestId)));
    } catch (InterruptedException e) {
      throw new ClientGone(false, e);
    }
    if (outgoing.isLast() && !incoming.waitsForContinue() && !broken) {
      desk.bodies().skip(incoming::body, stall);
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

  private Reply reply() throws InterruptedException {
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
    try (BodyReader.Body read = read(route)) {
      body = parse(read.bytes(), operation);
    }
    return route.handler().handle(this);
  }

  private BodyReader.Body read(Route route) {
    if (!incoming.hasBody()) {
      return desk.bodies().empty();
    }
    checkForm();
    int max = route.isBulk() ? desk.limits().maxBulkBody() : desk.limits().maxBody();
    try {
      return desk.bodies().read(incoming::body, incoming.length(), max, stall);
    } catch (ClientGone e) {
      broken = true;
      throw Transport.problem(e.getCause()).<RuntimeException>map(problem -> problem).orElse(e);
    }
  }

  private void checkForm() {
    String encoding = incoming.header("Content-Encoding").orElse("identity");
    if (!encoding.equalsIgnoreCase("identity")) {
      throw new Problem(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE,
          null,
          "bodies must not be compressed: send the body without Content-Encoding",
          null,
          Map.of("Accept-Encoding", "identity"));
    }
    String type = incoming.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    String[] words = type.split("\\s*;\\s*");
    boolean json = words[0].equals("application/json") || words[0].matches("application/[\\w.-]+\\+json");
    for (int i = 1; i < words.length && json; i++) {
      json = !words[i].startsWith("charset=") || words[i].matches("charset=\"?utf-?8\"?");
    }
    if (!json) {
      throw new Problem(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE,
          "the body must be JSON in UTF-8: send it with Content-Type: application/json");
    }
  }

  private @Nullable Object parse(byte[] bytes, Optional<OpenApi.Operation> operation) {
    Object value = null;
    if (bytes.length > 0) {
      try {
        value =
            Json.parse(
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
      } catch (CharacterCodingException e) {
        throw new Problem(Problem.Kind.MALFORMED, "request/body must be UTF-8");
      } catch (JsonException e) {
        throw new Problem(Problem.Kind.MALFORMED, "request/body is " + e.getMessage());
      }
    }
    operation.ifPresent(new BodyCheck(value, bytes.length > 0)::check);
    return value;
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
      throw new IllegalArgumentException("no parameter {" + name + "} in the path");
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
    if (!incoming.isHttp1() || !incoming.isRead()) {
      return false; // over HTTP/2 another thread reads
    }
    HangUp.Sign sign = look.get();
    if (sign == HangUp.Sign.TALKED) {
      outgoing.closeAfter();
    }
    return sign == HangUp.Sign.GONE;
  }
}
