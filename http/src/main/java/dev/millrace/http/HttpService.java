package dev.millrace.http;

import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.route.RouteTable;
import dev.millrace.http.transport.Certificates;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.http.transport.ConnectionAddresses;
import dev.millrace.http.transport.DisconnectProbe;
import dev.millrace.http.transport.IncomingRequest;
import dev.millrace.http.transport.OpenConnections;
import dev.millrace.http.transport.ProtocolSelector;
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

/** The listener under all faces: HTTP/1.1 and HTTP/2, a virtual thread for each request. */
public final class HttpService implements AutoCloseable {
  /** {@link OpenConnections} knows better which are idle. */
  private static final Duration NEVER = Duration.ofDays(365);

  /** How long a stream may outlive its caller's key. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  private final HttpSettings settings;
  private final List<RouteGroup> faces;
  private final ServiceContext desk;
  private final OpenConnections connections;
  private final StallWatcher stalls;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicInteger running = new AtomicInteger();
  private final Thread rechecks =
      Thread.ofVirtual().name("millrace-http-keys").unstarted(this::recheck);
  private final WebServer server;
  private volatile int port;

  private HttpService(
      HttpSettings settings,
      List<RouteGroup> faces,
      List<RequestObserver> observers,
      Function<String, Optional<OpenApiDocument.Operation>> document) {
    this.settings = settings;
    this.faces = List.copyOf(faces);
    RouteTable routes = new RouteTable(faces);
    AccessLog log = new AccessLog(settings.accessLog(), Clock.systemUTC());
    this.desk = new ServiceContext(routes, document, settings, log, observers);
    Tls tls = settings.tls() == null ? null : tls(settings.tls());
    this.connections = new OpenConnections(settings.limits().idleTimeout());
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

  /** Where the document speaks of a part of the API, what it leaves out would go unchecked. */
  private static void requireDocumented(List<RouteGroup> faces, OpenApiDocument document) {
    Set<String> parts = new HashSet<>();
    document.operations().forEach(known -> parts.add(part(known.path())));
    for (RouteGroup face : faces) {
      for (Route route : face.routes()) {
        if (parts.contains(part(route.path())) && !isDocumented(route, document)) {
          throw new IllegalArgumentException(
              "the API's document has no operation \""
                  + route.operationId()
                  + "\" that is "
                  + route.method()
                  + " "
                  + route.path()
                  + " with the scope "
                  + route.scope().word());
        }
      }
    }
  }

  private static boolean isDocumented(Route route, OpenApiDocument document) {
    return document
        .operation(route.operationId())
        .filter(known -> known.method().equals(route.method()))
        .filter(known -> known.path().equals(route.path()))
        .filter(known -> known.scope() == route.scope())
        .isPresent();
  }

  private static String part(String path) {
    return path.substring(0, (path + "/").indexOf('/', 1));
  }

  static HttpService open(
      HttpSettings settings,
      List<RouteGroup> faces,
      List<RequestObserver> observers,
      Function<String, Optional<OpenApiDocument.Operation>> document) {
    try {
      HttpService service = new HttpService(settings, faces, observers, document);
      service.start();
      return service;
    } catch (RuntimeException e) {
      faces.forEach(RouteGroup::close);
      throw e;
    }
  }

  /** The server below would log at length that the port is taken, and go on. */
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
      rechecks.start();
    }
  }

  private void recheck() {
    try {
      while (true) {
        Thread.sleep(RECHECK);
        desk.stopRevokedStreams();
      }
    } catch (InterruptedException e) {
      // the server has stopped
    }
  }

  /** Where it listens, or did. */
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

  /** Requests that are being answered now, streams among them. */
  public int running() {
    return running.get();
  }

  /** Streams that are open now. */
  public int streams() {
    return desk.streams().size();
  }

  private WebServer server(ProtocolErrorHandler transport, @Nullable Tls tls) {
    HttpLimits limits = settings.limits();
    WebServerConfig.Builder config =
        WebServer.builder()
            .address(settings.address())
            .port(settings.port())
            .maxTcpConnections(limits.maxConnections())
            .maxPayloadSize(limits.maxBulkBody())
            .idleConnectionTimeout(NEVER)
            .idleConnectionPeriod(NEVER)
            .connectionOptions(connections)
            .errorHandling(ErrorHandling.builder().includeEntity(true).build())
            .shutdownHook(false)
            .directHandlers(transport.handlers())
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
        .sslContext(new Certificates(files).context())
        .enabledProtocols(List.of("TLSv1.3", "TLSv1.2"))
        .build();
  }

  private void handle(ServerRequest request, ServerResponse response) {
    ConnectionAddresses ends = ConnectionAddresses.of(request);
    IncomingRequest incoming = new IncomingRequest(request, settings.limits().maxHeaders());
    StallTimer stall =
        stalls.open(incoming.isHttp1() ? () -> connections.shutdownInput(ends) : null);
    connections.requestStarted(ends);
    running.incrementAndGet();
    try {
      ResponseWriter outgoing =
          new ResponseWriter(response, stall, settings.limits().writeTimeout().toNanos());
      new RequestExchange(desk, incoming, outgoing, stall, () -> look(incoming, ends)).run();
      if (incoming.wantsClose() || outgoing.closesConnection()) {
        // the server below would wait for the client to close
        throw new CloseConnectionException("the last answer of this connection");
      }
    } catch (ClientGoneException e) {
      throw new CloseConnectionException("the client has gone", e);
    } finally {
      running.decrementAndGet();
      connections.requestEnded(ends);
      stalls.close(stall);
    }
  }

  /** Looks after the client whose request the calling thread answers. */
  private DisconnectProbe.Result look(IncomingRequest incoming, ConnectionAddresses ends) {
    if (incoming.isHttp1()) {
      return incoming.isBodyRead() ? connections.probe(ends) : DisconnectProbe.Result.SILENT;
    }
    return connections.awaitsResponse(ends, incoming.streamId())
        ? DisconnectProbe.Result.SILENT
        : DisconnectProbe.Result.DISCONNECTED;
  }

  /**
   * Takes in no more work, lets requests come to their end and asks streams to end.
   *
   * @return whether all had ended within that time
   */
  public boolean drain(Duration grace) throws InterruptedException {
    faces.forEach(RouteGroup::drain);
    desk.drain();
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
    rechecks.interrupt();
    desk.drain();
    server.stop();
    stalls.close();
    faces.forEach(RouteGroup::close);
  }
}
