package dev.millrace.server.http;

import dev.millrace.core.job.TraceContext;
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
final class Desk {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Pattern OWN_HOST =
      Pattern.compile(
          "(?i)(localhost|[\\w-]+\\.localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

  private final RouteTable routes;
  private final Function<String, Optional<OpenApi.Operation>> document;
  private final HttpSettings settings;
  private final @Nullable ApiKeys keys;
  private final RateLimit rates;
  private final BodyReader bodies;
  private final Room answers;
  private final AccessLog log;
  private final List<Observer> observers;
  private final Set<Exchange> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  Desk(
      RouteTable routes,
      Function<String, Optional<OpenApi.Operation>> document,
      HttpSettings settings,
      AccessLog log,
      List<Observer> observers) {
    this.routes = routes;
    this.document = document;
    this.settings = settings;
    this.keys = settings.keys() == null ? null : ApiKeys.open(settings.keys());
    this.rates = new RateLimit(limits().rate(), limits().burst(), System::nanoTime);
    this.bodies = new BodyReader(limits());
    this.answers =
        new Room(
            Math.max(limits().maxBulkBody(), Runtime.getRuntime().maxMemory() / 8),
            "too many large answers are being sent at once; try again later, or ask for less");
    this.log = log;
    this.observers = List.copyOf(observers);
  }

  RouteTable routes() {
    return routes;
  }

  Limits limits() {
    return settings.limits();
  }

  BodyReader bodies() {
    return bodies;
  }

  /** For what is on its way to clients. */
  Room answers() {
    return answers;
  }

  AccessLog log() {
    return log;
  }

  /** Streams that are being written. */
  Set<Exchange> streams() {
    return streams;
  }

  Optional<OpenApi.Operation> operation(String id) {
    return document.apply(id);
  }

  boolean isDraining() {
    return draining;
  }

  /** From here on only those who need no key are let in: they ask how we are. */
  void drain() {
    draining = true;
    streams.forEach(Exchange::stop);
  }

  /**
   * Without keys, a page in somebody's browser must not reach us: neither under a name of its own
   * that it lets point here, nor from elsewhere.
   */
  void checkHost(Incoming incoming) {
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
  private void checkOrigin(Incoming incoming) {
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
  Principal admit(Incoming incoming, Route route) {
    Principal principal = authenticate(incoming, route);
    if (!principal.may(route.scope())) {
      throw new Problem(
          Problem.Kind.FORBIDDEN,
          "the key \"" + principal.name() + "\" lacks the scope \"" + route.scope().word() + "\"");
    }
    if (route.scope() != Scope.NONE) {
      if (draining) {
        throw new Problem(
            Problem.Kind.UNAVAILABLE,
            null,
            "the server is stopping; try again later",
            null,
            Map.of("Retry-After", "5"));
      }
      limit(incoming, keys == null ? null : principal);
    }
    return principal;
  }

  private Principal authenticate(Incoming incoming, Route route) {
    if (keys == null) {
      return Principal.LOCAL;
    }
    Optional<Principal> principal = bearer(incoming).flatMap(keys::find);
    if (principal.isPresent()) {
      return principal.get();
    }
    if (route.scope() == Scope.NONE) {
      return new Principal("anonymous", Set.of());
    }
    limit(incoming, null);
    throw new Problem(
        Problem.Kind.UNAUTHORIZED,
        null,
        "a valid key is needed: send it as Authorization: Bearer KEY",
        null,
        Map.of("WWW-Authenticate", "Bearer realm=\"millrace\""));
  }

  /** Ends the streams of those whose key has been taken out, or allows less, since they began. */
  void recheck() {
    streams.forEach(
        stream -> {
          if (!stream.isAdmitted()) {
            stream.stop();
          }
        });
  }

  /** Whether the caller's key is still good for that. */
  boolean admits(Incoming incoming, Route route) {
    return keys == null
        || route.scope() == Scope.NONE
        || bearer(incoming).flatMap(keys::find).filter(it -> it.may(route.scope())).isPresent();
  }

  private static Optional<String> bearer(Incoming incoming) {
    List<String> values = incoming.headers("Authorization");
    return values.size() == 1 && values.getFirst().regionMatches(true, 0, "Bearer ", 0, 7)
        ? Optional.of(values.getFirst().substring(7).strip())
        : Optional.empty();
  }

  /** Counts a request for its caller. */
  void limit(Incoming incoming, @Nullable Principal principal) {
    String caller =
        principal == null ? "address " + incoming.neighbourhood() : "key " + principal.name();
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
  @Nullable TraceContext begins(@Nullable TraceContext said) {
    TraceContext trace = said;
    for (Observer observer : observers) {
      try {
        trace = observer.begins(trace);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an observer of requests failed", e);
      }
    }
    return trace;
  }

  void tell(Served served) {
    for (Observer observer : observers) {
      try {
        observer.served(served);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "an observer of requests failed", e);
      }
    }
  }
}
