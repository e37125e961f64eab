package dev.millrace.http;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.limits.RequestSlots;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.route.RouteTable;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.http.transport.ConnectionAddresses;
import dev.millrace.http.transport.DisconnectProbe;
import dev.millrace.http.transport.IncomingRequest;
import dev.millrace.http.transport.OpenConnections;
import dev.millrace.http.transport.ProtocolSelector;
import dev.millrace.http.transport.ReloadingKeyManager;
import dev.millrace.http.transport.ResponseWriter;
import dev.millrace.http.transport.StallTimer;
import dev.millrace.http.transport.StallWatcher;
import dev.millrace.http.transport.TlsFiles;
import io.helidon.common.tls.Tls;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ErrorHandling;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The listener below all route groups: HTTP/1.1 and HTTP/2, one virtual thread per request. */
public final class HttpService implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Turns off Helidon's own idle timeout: {@link OpenConnections} closes idle connections. */
  private static final Duration NEVER = Duration.ofDays(365);

  /** How long a stream may continue after its caller's key is revoked. */
  private static final Duration KEY_CHECK_INTERVAL = Duration.ofSeconds(5);

  private final HttpSettings settings;
  private final List<RouteGroup> groups;
  private final ServiceContext context;
  private final OpenConnections connections;
  private final StallWatcher stalls;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicInteger running = new AtomicInteger();
  private final Thread keyChecks =
      MonitoredThreads.virtualService("millrace-http-keys").unstarted(this::checkKeys);
  private final WebServer server;
  private volatile int port;

  private HttpService(
      HttpSettings settings,
      List<RouteGroup> groups,
      List<RequestObserver> observers,
      Function<String, Optional<OpenApiDocument.Operation>> document) {
    this.settings = settings;
    this.groups = List.copyOf(groups);
    RouteTable routes = new RouteTable(groups);
    AccessLog log = new AccessLog(settings.accessLog(), Clock.systemUTC());
    this.context = new ServiceContext(routes, document, settings, log, observers);
    Tls tls = settings.tls() == null ? null : tls(settings.tls());
    this.connections = new OpenConnections(settings.limits().timeouts().idle());
    this.stalls = new StallWatcher(connections::closeIdle);
    this.server = server(new ProtocolErrorHandler(routes, log), tls);
  }

  /** Listens, and checks requests against the OpenAPI document of this server. */
  public static HttpService open(HttpSettings settings, List<RouteGroup> groups) {
    return open(settings, groups, List.of());
  }

  public static HttpService open(
      HttpSettings settings, List<RouteGroup> groups, List<RequestObserver> observers) {
    return open(settings, groups, observers, OpenApiDocument.load());
  }

  /**
   * Listens.
   *
   * @param groups are closed with the service, and at once if it cannot listen
   * @param observers are notified of each request
   * @param document every request is checked against it
   * @throws IllegalArgumentException if a setting is wrong: a file, the address
   */
  public static HttpService open(
      HttpSettings settings,
      List<RouteGroup> groups,
      List<RequestObserver> observers,
      OpenApiDocument document) {
    requireDocumented(groups, document);
    return open(settings, groups, observers, document::operation);
  }

  /** Requires each route below a documented path to be documented: others are not checked. */
  private static void requireDocumented(List<RouteGroup> groups, OpenApiDocument document) {
    Set<String> prefixes = new HashSet<>();
    document.operations().forEach(known -> prefixes.add(prefix(known.path())));
    for (RouteGroup group : groups) {
      for (Route route : group.routes()) {
        if (prefixes.contains(prefix(route.path())) && !isDocumented(route, document)) {
          throw new IllegalArgumentException(
              "the OpenAPI document has no operation \""
                  + route.operationId()
                  + "\" for "
                  + route.method()
                  + " "
                  + route.path()
                  + " with scope "
                  + route.scope().word());
        }
      }
    }
  }

  private static boolean isDocumented(Route route, OpenApiDocument document) {
    return document
        .operation(route.operationId())
        .filter(known -> known.method().equals(route.method()))
        .filter(known -> known.path().equals(route.documentedPath()))
        .filter(known -> known.scope() == route.scope())
        .isPresent();
  }

  private static String prefix(String path) {
    return path.substring(0, (path + "/").indexOf('/', 1));
  }

  static HttpService open(
      HttpSettings settings,
      List<RouteGroup> groups,
      List<RequestObserver> observers,
      Function<String, Optional<OpenApiDocument.Operation>> document) {
    try {
      HttpService service = new HttpService(settings, groups, observers, document);
      service.start();
      return service;
    } catch (RuntimeException e) {
      groups.forEach(RouteGroup::close);
      throw e;
    }
  }

  /** Checks the port first: Helidon logs a long trace if it is taken, and does not fail. */
  private void start() {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(settings.address(), settings.port()));
    } catch (IOException e) {
      stalls.close();
      throw new IllegalArgumentException(
          "cannot listen on "
              + settings.host()
              + ", port "
              + settings.port()
              + ": another program may have it; choose another port",
          e);
    }
    server.start();
    if (!server.isRunning()) {
      stalls.close();
      throw new IllegalStateException("cannot listen on " + settings.host());
    }
    port = server.port();
    if (settings.keys() != null) {
      keyChecks.start();
    }
  }

  private void stopRevokedStreams() {
    try {
      context.stopRevokedStreams();
    } catch (RuntimeException | Error e) { // the thread must go on: keys are revoked later, too
      LOG.log(Level.WARNING, "streams of revoked keys could not be stopped; trying again", e);
    }
  }

  private void checkKeys() {
    try {
      while (true) {
        Thread.sleep(KEY_CHECK_INTERVAL);
        stopRevokedStreams();
      }
    } catch (InterruptedException e) {
      // the server has stopped
    }
  }

  /** The address it listens on; still valid after it is closed. */
  public InetSocketAddress address() {
    return new InetSocketAddress(settings.address(), port);
  }

  public URI uri() {
    String host = address().getAddress().getHostAddress();
    return URI.create(
        (settings.tls() == null ? "http://" : "https://")
            + (host.contains(":") ? "[" + host + "]" : host)
            + ":"
            + port);
  }

  /** Requests in progress, including streams. */
  public int running() {
    return running.get();
  }

  /** What is under way, and its limits. */
  public RequestSlots slots() {
    return context.slots();
  }

  /** Open streams. */
  public int streams() {
    return context.streams().size();
  }

  private WebServer server(ProtocolErrorHandler errors, @Nullable Tls tls) {
    HttpLimits limits = settings.limits();
    WebServerConfig.Builder config =
        WebServer.builder()
            .address(settings.address())
            .port(settings.port())
            .maxTcpConnections(limits.maxConnections())
            .maxPayloadSize(limits.sizes().maxBulkBody())
            .idleConnectionTimeout(NEVER)
            .idleConnectionPeriod(NEVER)
            .connectionOptions(connections)
            .errorHandling(ErrorHandling.builder().includeEntity(true).build())
            .shutdownHook(false)
            .directHandlers(errors.handlers())
            .protocolsDiscoverServices(false)
            .addConnectionSelector(new ProtocolSelector(connections, stalls, limits))
            .routing(HttpRouting.builder().any(this::handle));
    if (tls != null) {
      config.tls(tls);
    }
    return config.build();
  }

  private static Tls tls(TlsFiles files) {
    return Tls.builder()
        .sslContext(new ReloadingKeyManager(files).context())
        .enabledProtocols(List.of("TLSv1.3", "TLSv1.2"))
        .build();
  }

  private void handle(ServerRequest request, ServerResponse response) {
    ConnectionAddresses addresses = ConnectionAddresses.of(request);
    IncomingRequest incoming = new IncomingRequest(request, settings.limits().sizes().maxHeaders());
    StallTimer stall =
        stalls.open(incoming.isHttp1() ? () -> connections.shutdownInput(addresses) : null);
    connections.requestStarted(addresses);
    running.incrementAndGet();
    try {
      ResponseWriter outgoing =
          new ResponseWriter(response, stall, settings.limits().timeouts().write().toNanos());
      new RequestExchange(context, incoming, outgoing, stall, () -> probe(incoming, addresses))
          .run();
      if (incoming.wantsClose() || outgoing.closesConnection()) {
        // Helidon would wait for the client to close
        throw new CloseConnectionException("the last response of this connection");
      }
    } catch (ClientGoneException e) {
      throw new CloseConnectionException("the client disconnected", e);
    } finally {
      running.decrementAndGet();
      connections.requestEnded(addresses);
      stalls.close(stall);
    }
  }

  /** Checks whether the client of the current request is still there. */
  private DisconnectProbe.Result probe(IncomingRequest incoming, ConnectionAddresses addresses) {
    if (incoming.isHttp1()) {
      return incoming.isBodyRead() ? connections.probe(addresses) : DisconnectProbe.Result.SILENT;
    }
    return connections.awaitsResponse(addresses, incoming.streamId())
        ? DisconnectProbe.Result.SILENT
        : DisconnectProbe.Result.DISCONNECTED;
  }

  /**
   * Accepts no more work, asks streams to end, and waits for running requests.
   *
   * @return whether all requests ended in time
   */
  public boolean drain(Duration grace) throws InterruptedException {
    groups.forEach(RouteGroup::drain);
    context.drain();
    long deadline = System.nanoTime() + grace.toNanos();
    while (running.get() > 0 && System.nanoTime() - deadline < 0) {
      Thread.sleep(10);
    }
    return running.get() == 0;
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    keyChecks.interrupt();
    context.drain();
    server.stop();
    stalls.close();
    groups.forEach(RouteGroup::close);
  }
}
