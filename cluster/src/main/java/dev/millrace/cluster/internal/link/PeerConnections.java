package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.internal.text.PeerText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.AdmissionPolicy;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.CallExchange;
import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.connection.ConnectionDialer;
import dev.millrace.cluster.internal.connection.ConnectionDialer.Dialled;
import dev.millrace.cluster.internal.connection.ConnectionListener;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.Hello;
import dev.millrace.cluster.internal.connection.InboundConnections;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.connection.TlsConnection;
import dev.millrace.cluster.internal.link.LinkedNode.Location;
import dev.millrace.engine.NumericsVersion;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All connections of a node. Messages to another node go over the link that we dialled, its
 * messages to us over the one that it dialled. Where one of the two ends, both do, {@link
 * Receiver#lost} is told once, and the next send dials anew; this also where we ended them
 * ourselves, save by {@link #close}. Calls have connections of their own.
 */
public final class PeerConnections implements MessageSender, AutoCloseable {
  private static final Duration ENDING = Duration.ofSeconds(5);

  private final NodeIdentity us;
  private final ConnectionSettings settings;
  private final MessageReceiver receiver;
  private final ConnectionDialer dialler;
  private final ConnectionListener listener;
  private final InboundConnections reception;

  /** Those known or linked; changed by one thread at a time, who holds it. */
  private final Map<String, LinkedNode> peers = new ConcurrentHashMap<>();

  private final Thread watch;
  private volatile boolean closed;

  private PeerConnections(
      NodeIdentity us,
      HostPort listen,
      ConnectionSettings settings,
      AdmissionPolicy doorman,
      MessageReceiver receiver) {
    this.us = us;
    this.settings = settings;
    this.receiver = receiver;
    this.dialler = new ConnectionDialer(us, settings.helloTimeout());
    this.reception = new InboundConnections(us, settings, doorman, new AcceptedLinks());
    this.listener = new ConnectionListener(us, listen, settings.helloTimeout(), reception);
    this.watch = Thread.ofVirtual().name("millrace-link-watch").unstarted(this::watch);
  }

  /**
   * Listens, with TLS and nothing else.
   *
   * @param listen port 0: any that is free
   * @throws ClusterException where nothing can listen there
   */
  public static PeerConnections open(
      NodeIdentity identity,
      HostPort listen,
      ConnectionSettings settings,
      AdmissionPolicy doorman,
      MessageReceiver receiver) {
    PeerConnections board = new PeerConnections(identity, listen, settings, doorman, receiver);
    board.listener.start();
    board.watch.start();
    return board;
  }

  /** Where it listens, with the port that it got. */
  public HostPort address() {
    return listener.address();
  }

  /** Where a node is, and which life of it; links with another life end. */
  public void addNode(String node, HostPort at, long incarnation) {
    synchronized (peers) {
      peer(node).announced(new Location(at, incarnation));
    }
  }

  /** That node has left, as far as is known: when its links break, it cannot be sent to. */
  public void removeNode(String node) {
    synchronized (peers) {
      LinkedNode peer = peers.get(node);
      if (peer != null) {
        peer.withdrawn();
        drop(peer);
      }
    }
  }

  /** Those of whom nothing is left; their names may be anything, and never come again. */
  private void drop(LinkedNode peer) {
    synchronized (peers) {
      if (peer.isUnknown()) {
        peers.remove(peer.name, peer);
      }
    }
  }

  /**
   * {@inheritDoc} The body's bytes must stay as they are until they were sent, that is, for good;
   * one body may go to several nodes.
   */
  @Override
  public void send(String node, NodeMessage message) {
    checkLength(node, message);
    send(linked(node), node, message);
  }

  /**
   * As {@link #send}, but over a link that stands: nobody is dialled, and who may not wait long
   * waits for room in the queue only.
   */
  public void sendOnOpenLink(String node, NodeMessage message) {
    checkLength(node, message);
    LinkedNode peer = peers.get(node);
    Link link = peer == null ? null : peer.dialled();
    if (link == null) {
      throw new ClusterException("there is no link to node \"%s\" any more".formatted(node));
    }
    send(link, node, message);
  }

  /**
   * Dials a node to which there is no link yet.
   *
   * @throws ClusterException where it is not known or not reached
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
    LinkedNode peer = peers.get(node);
    if (peer == null) {
      throw unknown(node);
    }
    Link link = peer.dialled();
    try {
      return link == null ? dialled(peer) : link;
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

  /** One dials, others who would send wait for it. */
  private Link dialled(LinkedNode peer) throws InterruptedException {
    peer.dialling.lockInterruptibly();
    try {
      Link link = peer.dialled();
      return link == null ? dial(peer) : link;
    } finally {
      peer.dialling.unlock();
    }
  }

  private Link dial(LinkedNode peer) {
    Location where = peer.whereabouts();
    if (where == null || closed) {
      throw unknown(peer.name);
    }
    HostPort at = where.at();
    Dialled dialled =
        dialler.dial(
            at,
            new Hello(
                us.name(),
                us.incarnation(),
                NumericsVersion.CURRENT,
                Hello.Purpose.LINK,
                "",
                advertised()));
    try {
      long incarnation = dialled.welcome().incarnation();
      if (!dialled.welcome().name().equals(peer.name) || incarnation != where.incarnation()) {
        throw new IOException(
            "that is not node \"%s\" as it is known, but \"%s\", or started anew"
                .formatted(peer.name, dialled.welcome().name()));
      }
      return peer.attach(dialled.connection(), incarnation, true);
    } catch (IOException e) {
      dialled.connection().closeNow();
      throw new ClusterException(at + ": " + PeerText.messageOf(e), e);
    }
  }

  private HostPort advertised() {
    HostPort advertise = settings.advertise();
    return advertise == null ? address() : advertise;
  }

  /** Ends the links with a node; it is told why, and our receiver of the loss. */
  public void disconnect(String node, String why) {
    LinkedNode peer = peers.get(node);
    if (peer != null) {
      peer.endLinks(why, true);
    }
  }

  /** As {@link CallClient#call}, from this node. */
  public <T> T call(HostPort at, String call, Duration patience, CallExchange<T> exchange) {
    return CallClient.call(us, advertised(), at, call, patience, exchange);
  }

  /** Who answers that call; each on a thread of its own. */
  public void handleCalls(String call, CallHandler handler) {
    reception.addCallHandler(call, handler);
  }

  private LinkedNode peer(String node) {
    return peers.computeIfAbsent(
        node, name -> new LinkedNode(name, settings, receiver, this::drop));
  }

  /** Links that others dialled. */
  private final class AcceptedLinks implements InboundConnections.LinkHost {
    @Override
    public boolean hasLaterIncarnation(Hello hello) {
      LinkedNode peer = peers.get(hello.name());
      return peer != null && peer.hasLaterIncarnation(hello.incarnation());
    }

    @Override
    public boolean hasRoom(Hello hello) {
      return peers.values().stream()
              .filter(peer -> peer.isLinked() && !peer.name.equals(hello.name()))
              .count()
          < settings.maxLinks();
    }

    @Override
    public void accept(Hello hello, TlsConnection connection) throws IOException {
      synchronized (peers) {
        if (closed) {
          throw new IOException("closed");
        }
        LinkedNode peer = peer(hello.name());
        if (hello.listening() != null) {
          // the answer may be due before the network has told of it here
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
        for (LinkedNode peer : peers.values()) {
          peer.links().forEach(link -> link.check(now));
        }
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /** Ends everything; our receiver is told nothing more. */
  @Override
  public void close() {
    synchronized (peers) {
      closed = true;
    }
    watch.interrupt();
    listener.close();
    List<Link> links = new ArrayList<>();
    for (LinkedNode peer : peers.values()) {
      links.addAll(peer.close("it is closing"));
    }
    try {
      for (Link link : links) {
        link.join(ENDING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Connections that are no links: for tests. */
  int connectionsWithoutLink() {
    return listener.connectionsWithoutLink();
  }

  /** Nodes that are known or linked: for tests. */
  Set<String> peers() {
    return Set.copyOf(peers.keySet());
  }

  /** The link to a node, where there is one: for tests. */
  @Nullable Link link(String node) {
    LinkedNode peer = peers.get(node);
    return peer == null ? null : peer.dialled();
  }
}
