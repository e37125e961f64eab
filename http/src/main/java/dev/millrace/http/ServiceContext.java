package dev.millrace.http;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.limits.RateLimiter;
import dev.millrace.http.limits.RequestMemoryBudget;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteTable;
import dev.millrace.http.transport.BodyReader;
import dev.millrace.http.transport.IncomingRequest;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What all requests of a listener have in common: who may come in, and how they are counted. */
final class ServiceContext {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Pattern OWN_HOST =
      Pattern.compile(
          "(?i)(localhost|[\\w-]+\\.localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private final RouteTable routes;
  private final Function<String, Optional<OpenApiDocument.Operation>> document;
  private final HttpSettings settings;
  private final @Nullable ApiKeys keys;
  private final RateLimiter rates;
  private final BodyReader bodies;
  private final RequestMemoryBudget answers;
  private final AccessLog log;
  private final List<RequestObserver> observers;
  private final Set<RequestExchange> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  ServiceContext(
      RouteTable routes,
      Function<String, Optional<OpenApiDocument.Operation>> document,
      HttpSettings settings,
      AccessLog log,
      List<RequestObserver> observers) {
    this.routes = routes;
    this.document = document;
    this.settings = settings;
    this.keys = settings.keys() == null ? null : ApiKeys.open(settings.keys());
    this.rates = new RateLimiter(limits().rate(), limits().burst(), System::nanoTime);
    this.bodies = new BodyReader(limits());
    this.answers =
        new RequestMemoryBudget(
            Math.max(limits().maxBulkBody(), Runtime.getRuntime().maxMemory() / 8),
            "too many large answers are being sent at once; try again later, or ask for less");
    this.log = log;
    this.observers = List.copyOf(observers);
  }

  RouteTable routes() {
    return routes;
  }

  HttpLimits limits() {
    return settings.limits();
  }

  BodyReader bodyReader() {
    return bodies;
  }

  /** For what is on its way to clients. */
  RequestMemoryBudget responseMemory() {
    return answers;
  }

  AccessLog accessLog() {
    return log;
  }

  /** Streams that are being written. */
  Set<RequestExchange> streams() {
    return streams;
  }

  Optional<OpenApiDocument.Operation> operation(String id) {
    return document.apply(id);
  }

  boolean isDraining() {
    return draining;
  }

  /** From here on only those who need no key are let in: they ask how we are. */
  void drain() {
    draining = true;
    streams.forEach(RequestExchange::stop);
  }

  /**
   * Without keys, a page in somebody's browser must not reach us: neither under a name of its own
   * that it lets point here, nor from elsewhere.
   */
  void checkHost(IncomingRequest incoming) {
    if (keys != null) {
      return;
    }
    if (!isOwn(incoming.authority())) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "without API keys this server answers to localhost and "
              + settings.host()
              + " only, whatever the Host field says");
    }
    checkOrigin(incoming);
  }

  /**
   * A browser says where the page is from that wants something done. Without keys nobody else is
   * asked who they are, so a page from elsewhere may not.
   */
  private void checkOrigin(IncomingRequest incoming) {
    String origin = incoming.header("Origin").orElse(null);
    if (origin == null || incoming.isSafe()) {
      return;
    }
    String host = origin.replaceFirst("^https?://", "");
    if (host.equals(origin) || !isOwn(host)) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "without API keys this server does nothing for pages from elsewhere: Origin must be one"
              + " of localhost or "
              + settings.host());
    }
  }

  private boolean isOwn(String authority) {
    return OWN_HOST.matcher(authority).matches() || isBound(authority);
  }

  private boolean isBound(String authority) {
    String name = authority.replaceFirst(":\\d{1,5}$", "");
    return name.equalsIgnoreCase(settings.host())
        || name.equalsIgnoreCase("[" + settings.host() + "]");
  }

  /** Lets the caller in, or says why not. */
  Principal admit(IncomingRequest incoming, Route route) {
    Principal principal = authenticate(incoming, route);
    if (!principal.may(route.scope())) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "the key \"" + principal.name() + "\" lacks the scope \"" + route.scope().word() + "\"");
    }
    if (route.scope() != KeyScope.NONE) {
      if (draining) {
        throw new Problem(
            Problem.Kind.UNAVAILABLE,
            null,
            "the server is stopping; try again later",
            null,
            Map.of("Retry-After", "5"));
      }
      checkRate(incoming, keys == null ? null : principal);
    }
    return principal;
  }

  private Principal authenticate(IncomingRequest incoming, Route route) {
    if (keys == null) {
      return Principal.LOCAL;
    }
    Optional<Principal> principal = bearer(incoming).flatMap(keys::find);
    if (principal.isPresent()) {
      return principal.get();
    }
    if (route.scope() == KeyScope.NONE) {
      return new Principal("anonymous", Set.of());
    }
    checkRate(incoming, null);
    throw new Problem(
        Problem.Kind.UNAUTHORIZED,
        null,
        "a valid key is needed: send it as Authorization: Bearer KEY",
        null,
        Map.of("WWW-Authenticate", "Bearer realm=\"millrace\""));
  }

  /** Ends the streams of those whose key has been taken out, or allows less, since they began. */
  void stopRevokedStreams() {
    streams.forEach(
        stream -> {
          if (!stream.isAdmitted()) {
            stream.stop();
          }
        });
  }

  /** Whether the caller's key is still good for that. */
  boolean isStillAdmitted(IncomingRequest incoming, Route route) {
    return keys == null
        || route.scope() == KeyScope.NONE
        || bearer(incoming).flatMap(keys::find).filter(it -> it.may(route.scope())).isPresent();
  }

  private static Optional<String> bearer(IncomingRequest incoming) {
    List<String> values = incoming.headers("Authorization");
    return values.size() == 1 && values.getFirst().regionMatches(true, 0, "Bearer ", 0, 7)
        ? Optional.of(values.getFirst().substring(7).strip())
        : Optional.empty();
  }

  /** Counts a request for its caller. */
  void checkRate(IncomingRequest incoming, @Nullable Principal principal) {
    String caller =
        principal == null ? "address " + incoming.rateLimitAddress() : "key " + principal.name();
    long wait = rates.take(caller);
    if (wait > 0) {
      throw new Problem(
          Problem.Kind.TOO_MANY_REQUESTS,
          null,
          "more than " + limits().rate() + " requests a second; try again in " + wait + " s",
          null,
          Map.of("Retry-After", Long.toString(wait)));
    }
  }

  /** A request has come; the trace that its work belongs to. */
  @Nullable TraceContext notifyStarted(@Nullable TraceContext said) {
    TraceContext trace = said;
    for (RequestObserver observer : observers) {
      try {
        trace = observer.started(trace);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an observer of requests failed", e);
      }
    }
    return trace;
  }

  void notifyFinished(CompletedRequest served) {
    for (RequestObserver observer : observers) {
      try {
        observer.finished(served);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an observer of requests failed", e);
      }
    }
  }
}
