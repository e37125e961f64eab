package dev.millrace.http;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.limits.RateLimiter;
import dev.millrace.http.limits.RequestMemoryBudget;
import dev.millrace.http.limits.RequestSlots;
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

/** What all requests of a listener share: keys, rate limits, memory budgets, the access log. */
final class ServiceContext {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Responses that are being sent take at most this part of the heap. */
  private static final int HEAP_SHARE = 8;

  private static final Pattern OWN_HOST =
      Pattern.compile(
          "(?i)(localhost|[\\w-]+\\.localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private final RouteTable routes;
  private final Function<String, Optional<OpenApiDocument.Operation>> document;
  private final HttpSettings settings;
  private final @Nullable ApiKeys keys;
  private final RateLimiter rates;
  private final RequestSlots slots;
  private final BodyReader bodyReader;
  private final RequestMemoryBudget responseMemory;
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
    this.keys = settings.keys();
    this.rates =
        new RateLimiter(limits().rate().perSecond(), limits().rate().burst(), System::nanoTime);
    this.slots = new RequestSlots(limits().concurrency());
    this.bodyReader = new BodyReader(limits());
    this.responseMemory =
        new RequestMemoryBudget(
            Math.max(sizes().maxBulkBody(), Runtime.getRuntime().maxMemory() / HEAP_SHARE),
            "too many large responses are being sent at once; try again later, or ask for less");
    this.log = log;
    this.observers = List.copyOf(observers);
  }

  RouteTable routes() {
    return routes;
  }

  private HttpLimits limits() {
    return settings.limits();
  }

  HttpLimits.Sizes sizes() {
    return limits().sizes();
  }

  RequestSlots slots() {
    return slots;
  }

  /** The slots of a request; without keys, everybody is one caller, who may have all. */
  RequestSlots.Holder slotsOf(IncomingRequest incoming, Principal principal) {
    String caller =
        principal.isAnonymous()
            ? "address " + incoming.rateLimitAddress()
            : "key \"" + principal.name() + "\"";
    return slots.holder(keys == null ? null : caller);
  }

  BodyReader bodyReader() {
    return bodyReader;
  }

  /** The memory for responses on their way to clients. */
  RequestMemoryBudget responseMemory() {
    return responseMemory;
  }

  AccessLog accessLog() {
    return log;
  }

  /** Open streams. */
  Set<RequestExchange> streams() {
    return streams;
  }

  Optional<OpenApiDocument.Operation> operation(String id) {
    return document.apply(id);
  }

  boolean isDraining() {
    return draining;
  }

  /** From now on, admits only routes that need no key (health checks), and ends all streams. */
  void drain() {
    draining = true;
    streams.forEach(RequestExchange::stop);
  }

  /**
   * Without keys, protects a local server from web pages in the user's browser: from DNS rebinding
   * (a foreign host name that resolves to this machine) and from cross-site requests.
   */
  void checkHost(IncomingRequest incoming) {
    if (keys != null) {
      return;
    }
    if (!isOwnHost(incoming.authority())) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "without API keys this server answers only to the hosts localhost and "
              + settings.host()
              + ": use one of them in the URL");
    }
    checkOrigin(incoming);
  }

  /** Refuses a change that a web page of another site asks for. */
  private void checkOrigin(IncomingRequest incoming) {
    String origin = incoming.header("Origin").orElse(null);
    if (origin == null || incoming.isSafe()) {
      return;
    }
    String host = origin.replaceFirst("^https?://", "");
    if (host.equals(origin) || !isOwnHost(host)) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "without API keys this server refuses changes from web pages of other sites: Origin must"
              + " be localhost or "
              + settings.host());
    }
  }

  private boolean isOwnHost(String authority) {
    return OWN_HOST.matcher(authority).matches() || isBound(authority);
  }

  private boolean isBound(String authority) {
    String name = authority.replaceFirst(":\\d{1,5}$", "");
    return name.equalsIgnoreCase(settings.host())
        || name.equalsIgnoreCase("[" + settings.host() + "]");
  }

  /**
   * Authenticates and authorizes the caller.
   *
   * @throws Problem if the caller is not admitted
   */
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
      return Principal.ANONYMOUS;
    }
    checkRate(incoming, null);
    if (keys.areRefused()) {
      throw new Problem(
          Problem.Kind.UNAVAILABLE,
          null,
          "no API key is accepted now, because the server cannot rely on its file of keys; its log"
              + " tells the operator what to do",
          null,
          Map.of("Retry-After", "10"));
    }
    throw new Problem(
        Problem.Kind.UNAUTHORIZED,
        null,
        "a valid key is needed: send it as Authorization: Bearer KEY",
        null,
        Map.of("WWW-Authenticate", "Bearer realm=\"millrace\""));
  }

  /** Reads the keys again; ends streams whose key was revoked, or lost the scope. */
  void stopRevokedStreams() {
    if (keys != null) {
      keys.reload();
    }
    streams.forEach(
        stream -> {
          if (!stream.isAdmitted()) {
            stream.stop();
          }
        });
  }

  /** Whether the caller's key still allows this route. */
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

  /**
   * Counts a request for its caller.
   *
   * @throws Problem if the caller sends too many
   */
  void checkRate(IncomingRequest incoming, @Nullable Principal principal) {
    long wait = rates.take(caller(incoming, principal));
    if (wait > 0) {
      throw new Problem(
          Problem.Kind.TOO_MANY_REQUESTS,
          null,
          "more than "
              + limits().rate().perSecond()
              + " requests a second; try again in "
              + wait
              + " s",
          null,
          Map.of("Retry-After", Long.toString(wait)));
    }
  }

  /** What the caller of a request has left of its rate; empty if there is no limit. */
  Optional<RateLimiter.Allowance> allowance(IncomingRequest incoming) {
    Optional<Principal> known =
        keys == null ? Optional.empty() : bearer(incoming).flatMap(keys::find);
    return rates.allowance(caller(incoming, known.orElse(null)));
  }

  private static String caller(IncomingRequest incoming, @Nullable Principal principal) {
    return principal == null ? "address " + incoming.rateLimitAddress() : "key " + principal.name();
  }

  /** Notifies observers of a new request; returns the trace that its work belongs to. */
  @Nullable TraceContext notifyStarted(@Nullable TraceContext received) {
    TraceContext trace = received;
    for (RequestObserver observer : observers) {
      try {
        trace = observer.started(trace);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a request observer failed", e);
      }
    }
    return trace;
  }

  void notifyFinished(CompletedRequest completed) {
    for (RequestObserver observer : observers) {
      try {
        observer.finished(completed);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a request observer failed", e);
      }
    }
  }
}
