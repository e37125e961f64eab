package dev.millrace.http;

import dev.millrace.core.json.Json;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestIds;
import dev.millrace.http.route.RequestPath;
import dev.millrace.http.route.RouteTable;
import dev.millrace.http.transport.ClientGoneException;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpException;
import io.helidon.http.RequestException;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers malformed requests with the error body of the route group that they address. */
final class ProtocolErrorHandler implements DirectHandler {
  /** Helidon's text where it gives no reason. */
  private static final String NO_REASON = "Bad request, see server log for more information";

  private final RouteTable routes;
  private final AccessLog log;

  ProtocolErrorHandler(RouteTable routes, AccessLog log) {
    this.routes = routes;
    this.log = log;
  }

  DirectHandlers handlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, this);
    }
    return handlers.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType type,
      Status reported,
      ServerResponseHeaders headers,
      @Nullable String message) {
    Status status =
        reported.code() == 400 ? exactStatus(request, String.valueOf(message)) : reported;
    String requestId = RequestIds.generate();
    String path = request.path();
    Problem problem = problem(status, message);
    String body = Json.write(routes.groupOf(RequestPath.ofTarget(path)).error(problem, requestId));
    log.write(
        new AccessLog.Line(
            new AccessLog.Request(
                requestId, null, request.method().isEmpty() ? "?" : request.method(), path),
            AccessLog.Caller.UNKNOWN,
            new CompletedRequest.Response(status.code(), 0, body.length()),
            problem.kind().name()));
    return TransportResponse.builder()
        .status(status)
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .header(HeaderNames.create(RequestIds.HEADER), requestId)
        .keepAlive(false)
        .entity(body.getBytes(StandardCharsets.UTF_8))
        .build();
  }

  /** Finds the exact status: Helidon answers 400 to everything. */
  private static Status exactStatus(TransportRequest request, String message) {
    if (message.equals("Header size exceeded")) {
      return Status.create(431, "Request Header Fields Too Large");
    }
    return request.headers().contains(HeaderNames.CONTENT_ENCODING)
        ? Status.UNSUPPORTED_MEDIA_TYPE_415
        : Status.BAD_REQUEST_400;
  }

  /** The problem with a request's body; empty if the client only disconnected. */
  static Optional<Problem> problem(ClientGoneException gone) {
    if (gone.isSlow()) {
      return Optional.of(problem(Status.REQUEST_TIMEOUT_408, null));
    }
    return switch (gone.getCause()) {
      case RequestException e ->
          Optional.of(problem(e.status(), e.safeMessage() ? e.getMessage() : null));
      case HttpException e -> Optional.of(problem(e.status(), null));
      case null, default -> Optional.empty();
    };
  }

  private static Problem problem(Status status, @Nullable String detail) {
    Problem.Kind kind =
        switch (status.code()) {
          case 408 -> Problem.Kind.REQUEST_TIMEOUT;
          case 413 -> Problem.Kind.TOO_LARGE;
          case 415 -> Problem.Kind.UNSUPPORTED_MEDIA_TYPE;
          case 431, 414 -> Problem.Kind.HEADERS_TOO_LARGE;
          case 503 -> Problem.Kind.UNAVAILABLE;
          case 403 -> Problem.Kind.FORBIDDEN;
          case 500 -> Problem.Kind.INTERNAL;
          default -> Problem.Kind.MALFORMED;
        };
    String what =
        switch (kind) {
          case UNSUPPORTED_MEDIA_TYPE ->
              "bodies must not be compressed: send the body without Content-Encoding";
          case REQUEST_TIMEOUT -> "the request took too long to arrive; send it again, faster";
          case TOO_LARGE -> "the body is larger than this server accepts";
          case HEADERS_TOO_LARGE -> "the request's line or header fields are too long";
          case INTERNAL -> "internal error";
          default ->
              "the request is not valid HTTP here"
                  + (detail == null || detail.equals(NO_REASON) ? "" : ": " + detail);
        };
    return new Problem(kind, what);
  }
}
