package dev.millrace.server.http;

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
  /** {@link Connections} knows better which are idle. */
  private static final Duration NEVER = Duration.ofDays(365);

  /** How long a stream may outlive its caller's key. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  private final HttpSettings settings;
  private final List<Face> faces;
  private final Desk desk;
  private final Connections connections;
  private final Stalls stalls;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicInteger running = new AtomicInteger();
  private final Thread rechecks =
      Thread.ofVirtual().name("millrace-http-keys").unstarted(this::recheck);
  private final WebServer server;
  private volatile int port;

  private HttpService(
      HttpSettings settings,
      List<Face> faces,
      List<Observer> observers,
      Function<String, Optional<OpenApi.Operation>> document) {
    this.settings = settings;
    this.faces = List.copyOf(faces);
    RouteTable routes = new RouteTable(faces);
    AccessLog log = new AccessLog(settings.accessLog(), Clock.systemUTC());
    this.desk = new Desk(routes, document, settings, log, observers);
    Tls tls = settings.tls() == null ? null : tls(settings.tls());
    this.connections = new Connections(settings.limits().idle());
    this.stalls = new Stalls(connections::sweep);
    this.server = server(new Transport(routes, log), tls);
  }

  /** Listens, and checks requests against the document of this server. */
  public static HttpService open(HttpSettings settings, List<Face> faces) {
    return open(settings, faces, List.of());
  }

  /**
   * Listens.
   *
   * @param faces are closed with the service, and at once if it cannot listen
   * @param observers are told of each request
   * @throws IllegalArgumentException saying what is wrong with the settings: a file, the address
   */
  public static HttpService open(
      HttpSettings settings, List<Face> faces, List<Observer> observers) {
    OpenApi document = OpenApi.load();
    requireDocumented(faces, document);
    return open(settings, faces, observers, document::operation);
  }

  /** Where the document speaks of a part of the API, what it leaves out would go unchecked. */
  private static void requireDocumented(List<Face> faces, OpenApi document) {
    Set<String> parts = new HashSet<>();
    document.operations().forEach(known -> parts.add(part(known.path())));
    for (Face face : faces) {
      for (Route route : face.routes()) {
        if (parts.contains(part(route.path())) && !isDocumented(route, document)) {
          throw new IllegalArgumentException(
              "the API's document has no operation \""
                  + route.operation()
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

  private static boolean isDocumented(Route route, OpenApi document) {
    return document
        .operation(route.operation())
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
      List<Face> faces,
      List<Observer> observers,
      Function<String, Optional<OpenApi.Operation>> document) {
    try {
      HttpService service = new HttpService(settings, faces, observers, document);
      service.start();
      return service;
    } catch (RuntimeException e) {
      faces.forEach(Face::close);
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
        desk.recheck();
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

  private WebServer server(Transport transport, @Nullable Tls tls) {
    Limits limits = settings.limits();
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
            .addConnectionSelector(new Protocols(connections, stalls, limits))
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
    Ends ends = Ends.of(request);
    Incoming incoming = new Incoming(request, settings.limits().maxHeaders());
    Stall stall = stalls.open(incoming.isHttp1() ? () -> connections.endReading(ends) : null);
    connections.begin(ends);
    running.incrementAndGet();
    try {
      Outgoing outgoing = new Outgoing(response, stall, settings.limits().stall().toNanos());
      new Exchange(desk, incoming, outgoing, stall, () -> look(incoming, ends)).run();
      if (incoming.isLast() || outgoing.isLast()) {
        // the server below would wait for the client to close
        throw new CloseConnectionException("the last answer of this connection");
      }
    } catch (ClientGone e) {
      throw new CloseConnectionException("the client has gone", e);
    } finally {
      running.decrementAndGet();
      connections.end(ends);
      stalls.close(stall);
    }
  }

  /** Looks after the client whose request the calling thread answers. */
  private HangUp.Sign look(Incoming incoming, Ends ends) {
    if (incoming.isHttp1()) {
      return incoming.isRead() ? connections.look(ends) : HangUp.Sign.NONE;
    }
    return connections.wants(ends, incoming.stream()) ? HangUp.Sign.NONE : HangUp.Sign.GONE;
  }

  /**
   * Takes in no more work, lets requests come to their end and asks streams to end.
   *
   * @return whether all had ended within that time
   */
  public boolean drain(Duration grace) throws InterruptedException {
    faces.forEach(Face::draining);
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
    faces.forEach(Face::close);
  }
}
