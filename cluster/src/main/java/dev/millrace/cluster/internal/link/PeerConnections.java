package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.AdmissionPolicy;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.CallExchange;
import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.connection.ConnectionDialer;
import dev.millrace.cluster.internal.connection.ConnectionDialer.Dialed;
import dev.millrace.cluster.internal.connection.ConnectionListener;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.Hello;
import dev.millrace.cluster.internal.connection.InboundConnectionHandler;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.connection.TlsConnection;
import dev.millrace.cluster.internal.link.LinkedNode.Location;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.engine.internal.thread.EngineThreads;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a node. Messages to another node go over the link that we dialed, its messages
 * to us over the link that it dialed. If one of the two ends, both end, {@link
 * MessageReceiver#lost} is called once, and the next send dials again. This also holds if we end
 * them ourselves, except by {@link #close}. Calls have connections of their own.
 */
public final class PeerConnections implements MessageSender, AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final NodeIdentity identity;
  private final ConnectionSettings settings;
  private final MessageReceiver receiver;
  private final ConnectionDialer dialer;
  private final ConnectionListener listener;
  private final InboundConnectionHandler inbound;

  /** Known or linked nodes; a thread that changes it holds its monitor. */
  private final Map<String, LinkedNode> nodes = new ConcurrentHashMap<>();

  private final Thread watch;
  private volatile boolean closed;

  private PeerConnections(
      NodeIdentity identity,
      HostPort listen,
      ConnectionSettings settings,
      AdmissionPolicy policy,
      MessageReceiver receiver) {
    this.identity = identity;
    this.settings = settings;
    this.receiver = receiver;
    this.dialer = new ConnectionDialer(identity, settings.helloTimeout());
    this.inbound = new InboundConnectionHandler(identity, settings, policy, new AcceptedLinks());
    this.listener = new ConnectionListener(identity, listen, settings.helloTimeout(), inbound);
    this.watch = EngineThreads.virtualService("millrace-link-watch").unstarted(this::watch);
  }

  /**
   * Listens for TLS connections.
   *
   * @param listen port 0: a free one
   * @throws ClusterException if the address cannot be used
   */
  public static PeerConnections open(
      NodeIdentity identity,
      HostPort listen,
      ConnectionSettings settings,
      AdmissionPolicy policy,
      MessageReceiver receiver) {
    PeerConnections connections = new PeerConnections(identity, listen, settings, policy, receiver);
    connections.listener.start();
    connections.watch.start();
    return connections;
  }

  /** The address that it listens on. */
  public HostPort address() {
    return listener.address();
  }

  /** Announces a node's address and incarnation; links with another incarnation end. */
  public void addNode(String node, HostPort at, long incarnation) {
    synchronized (nodes) {
      peer(node).announced(new Location(at, incarnation));
    }
  }

  /** A node has left: its links stay, but once they break it cannot be dialed. */
  public void removeNode(String node) {
    synchronized (nodes) {
      LinkedNode peer = nodes.get(node);
      if (peer != null) {
        peer.withdrawn();
        drop(peer);
      }
    }
  }

  /** Forgets a node of which neither location nor link is left. */
  private void drop(LinkedNode peer) {
    synchronized (nodes) {
      if (peer.isUnknown()) {
        nodes.remove(peer.name, peer);
      }
    }
  }

  /**
   * {@inheritDoc} The caller must not change the bytes of the body afterwards; one body may go to
   * several nodes.
   */
  @Override
  public void send(String node, NodeMessage message) {
    checkLength(node, message);
    send(linked(node), node, message);
  }

  /**
   * As {@link #send}, but only over an open link: it dials nobody, and waits only for room in the
   * queue.
   */
  public void sendOnOpenLink(String node, NodeMessage message) {
    checkLength(node, message);
    LinkedNode peer = nodes.get(node);
    Link link = peer == null ? null : peer.dialed();
    if (link == null) {
      throw new ClusterException("there is no link to node \"%s\" any more".formatted(node));
    }
    send(link, node, message);
  }

  /**
   * Dials a node unless there is a link.
   *
   * @throws ClusterException if the node is unknown or cannot be reached
   */
  public void connect(String node) {
    linked(node);
  }

  private static void checkLength(String node, NodeMessage message) {
    int length = message.body().remaining();
    if (length > ClusterProtocol.MAX_BODY) {
      throw new ClusterException(
          "a message of %d bytes to %s: at most %d can be sent"
              .formatted(length, node, ClusterProtocol.MAX_BODY));
    }
  }

  private static void send(Link link, String node, NodeMessage message) {
    try {
      if (!link.send(message)) {
        throw new ClusterException("the link to %s was lost: %s".formatted(node, link.why()));
      }
    } catch (InterruptedException e) {
      throw interrupted(node, e);
    }
  }

  private Link linked(String node) {
    LinkedNode peer = nodes.get(node);
    if (peer == null) {
      throw unknown(node);
    }
    Link link = peer.dialed();
    try {
      return link == null ? dialed(peer) : link;
    } catch (InterruptedException e) {
      throw interrupted(node, e);
    }
  }

  private static ClusterException interrupted(String node, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ClusterException("interrupted while sending to " + node, e);
  }

  private static ClusterException unknown(String node) {
    return new ClusterException("node \"%s\" is not known in this network".formatted(node));
  }

  /** One thread dials; other senders wait for it. */
  private Link dialed(LinkedNode peer) throws InterruptedException {
    peer.dialLock.lockInterruptibly();
    try {
      Link link = peer.dialed();
      return link == null ? dial(peer) : link;
    } finally {
      peer.dialLock.unlock();
    }
  }

  private Link dial(LinkedNode peer) {
    Location location = peer.location();
    if (location == null || closed) {
      throw unknown(peer.name);
    }
    HostPort at = location.at();
    Dialed dialed =
        dialer.dial(
            at,
            new Hello(
                identity.name(),
                identity.incarnation(),
                SupportedNumerics.CURRENT.common(),
                Hello.Purpose.LINK,
                "",
                advertised()));
    try {
      long incarnation = dialed.welcome().incarnation();
      if (!dialed.welcome().name().equals(peer.name) || incarnation != location.incarnation()) {
        throw new IOException(
            "expected node \"%s\", but found \"%s\", or it has restarted"
                .formatted(peer.name, dialed.welcome().name()));
      }
      return peer.attach(dialed.connection(), incarnation, true);
    } catch (IOException e) {
      dialed.connection().closeNow();
      throw new ClusterException(at + ": " + DisplayText.messageOf(e), e);
    }
  }

  private HostPort advertised() {
    HostPort advertise = settings.advertise();
    return advertise == null ? address() : advertise;
  }

  /** Ends the links with a node, which is told the reason; the receiver gets the loss. */
  public void disconnect(String node, String why) {
    LinkedNode peer = nodes.get(node);
    if (peer != null) {
      peer.endLinks(why, true);
    }
  }

  /** Makes a call from this node; see {@link CallClient#call}. */
  public <T> T call(HostPort at, String call, Duration timeout, CallExchange<T> exchange) {
    return CallClient.call(identity, advertised(), at, call, timeout, exchange);
  }

  /** Sets the handler of a call; each call runs on a thread of its own. */
  public void handleCalls(String call, CallHandler handler) {
    inbound.addCallHandler(call, handler);
  }

  private LinkedNode peer(String node) {
    return nodes.computeIfAbsent(
        node, name -> new LinkedNode(name, settings, receiver, this::drop));
  }

  /** Links that others dialed. */
  private final class AcceptedLinks implements InboundConnectionHandler.LinkHost {
    @Override
    public boolean hasLaterIncarnation(Hello hello) {
      LinkedNode peer = nodes.get(hello.name());
      return peer != null && peer.hasLaterIncarnation(hello.incarnation());
    }

    @Override
    public boolean hasRoom(Hello hello) {
      return nodes.values().stream()
              .filter(peer -> peer.isLinked() && !peer.name.equals(hello.name()))
              .count()
          < settings.maxLinks();
    }

    @Override
    public void accept(Hello hello, TlsConnection connection) throws IOException {
      synchronized (nodes) {
        if (closed) {
          throw new IOException("closed");
        }
        LinkedNode peer = peer(hello.name());
        if (hello.listening() != null) {
          // an answer may be due before the membership announces the node here
          peer.introducedItself(new Location(hello.listening(), hello.incarnation()));
        }
        peer.attach(connection, hello.incarnation(), false);
      }
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(settings.linkTimeout().dividedBy(2));
        long now = System.nanoTime();
        for (LinkedNode peer : nodes.values()) {
          peer.links().forEach(link -> check(link, now));
        }
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private static void check(Link link, long now) {
    try {
      link.check(now);
    } catch (RuntimeException | Error e) { // the other links are checked anyway
      LOG.log(Level.WARNING, "a link could not be checked", e);
    }
  }

  /** Closes all connections; the receiver is not called any more. */
  @Override
  public void close() {
    synchronized (nodes) {
      closed = true;
    }
    watch.interrupt();
    listener.close();
    List<Link> links = new ArrayList<>();
    for (LinkedNode peer : nodes.values()) {
      links.addAll(peer.close("it is closing"));
    }
    try {
      for (Link link : links) {
        link.join(CLOSE_TIMEOUT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Connections that are not links; for tests. */
  int connectionsWithoutLink() {
    return listener.connectionsWithoutLink();
  }

  /** Nodes that are known or linked; for tests. */
  Set<String> knownNodes() {
    return Set.copyOf(nodes.keySet());
  }

  /** The link to a node, or null; for tests. */
  @Nullable Link link(String node) {
    LinkedNode peer = nodes.get(node);
    return peer == null ? null : peer.dialed();
  }
}
