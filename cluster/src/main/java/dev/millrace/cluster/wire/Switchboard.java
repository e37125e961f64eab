package dev.millrace.cluster.wire;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Dialler.Dialled;
import dev.millrace.cluster.wire.Peer.Whereabouts;
import dev.millrace.engine.Numerics;
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
public final class Switchboard implements Post, AutoCloseable {
  private static final Duration ENDING = Duration.ofSeconds(5);

  private final Identity us;
  private final WireSettings settings;
  private final Receiver receiver;
  private final Dialler dialler;
  private final Listener listener;
  private final Reception reception;

  /** Those known or linked; changed by one thread at a time, who holds it. */
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();

  private final Thread watch;
  private volatile boolean closed;

  private Switchboard(
      Identity us, HostPort listen, WireSettings settings, Doorman doorman, Receiver receiver) {
    this.us = us;
    this.settings = settings;
    this.receiver = receiver;
    this.dialler = new Dialler(us, settings.greeting());
    this.reception = new Reception(us, settings, doorman, new Taking());
    this.listener = new Listener(us, listen, settings.greeting(), reception);
    this.watch = Thread.ofVirtual().name("millrace-link-watch").unstarted(this::watch);
  }

  /**
   * Listens, with TLS and nothing else.
   *
   * @param listen port 0: any that is free
   * @throws ClusterException where nothing can listen there
   */
  public static Switchboard open(
      Identity identity,
      HostPort listen,
      WireSettings settings,
      Doorman doorman,
      Receiver receiver) {
    Switchboard board = new Switchboard(identity, listen, settings, doorman, receiver);
    board.listener.start();
    board.watch.start();
    return board;
  }

  /** Where it listens, with the port that it got. */
  public HostPort address() {
    return listener.address();
  }

  /** Where a node is, and which life of it; links with another life end. */
  public void know(String node, HostPort at, long incarnation) {
    synchronized (peers) {
      peer(node).told(new Whereabouts(at, incarnation));
    }
  }

  /** That node has left, as far as is known: when its links break, it cannot be sent to. */
  public void forget(String node) {
    synchronized (peers) {
      Peer peer = peers.get(node);
      if (peer != null) {
        peer.untold();
        drop(peer);
      }
    }
  }

  /** Those of whom nothing is left; their names may be anything, and never come again. */
  private void drop(Peer peer) {
    synchronized (peers) {
      if (peer.isStranger()) {
        peers.remove(peer.name, peer);
      }
    }
  }

  /**
   * {@inheritDoc} The body's bytes must stay as they are until they were sent, that is, for good;
   * one body may go to several nodes.
   */
  @Override
  public void send(String node, Message message) {
    checkLength(node, message);
    send(linked(node), node, message);
  }

  /**
   * As {@link #send}, but over a link that stands: nobody is dialled, and who may not wait long
   * waits for room in the queue only.
   */
  public void pass(String node, Message message) {
    checkLength(node, message);
    Peer peer = peers.get(node);
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

  private static void checkLength(String node, Message message) {
    int length = message.body().remaining();
    if (length > Protocol.MAX_BODY) {
      throw new ClusterException(
          "a message of %d bytes to %s: at most %d can be sent"
              .formatted(length, node, Protocol.MAX_BODY));
    }
  }

  private static void send(Link link, String node, Message message) {
    try {
      if (!link.send(message)) {
        throw new ClusterException("the link to %s was lost: %s".formatted(node, link.why()));
      }
    } catch (InterruptedException e) {
      throw interrupted(node, e);
    }
  }

  private Link linked(String node) {
    Peer peer = peers.get(node);
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
  private Link dialled(Peer peer) throws InterruptedException {
    peer.dialling.lockInterruptibly();
    try {
      Link link = peer.dialled();
      return link == null ? dial(peer) : link;
    } finally {
      peer.dialling.unlock();
    }
  }

  private Link dial(Peer peer) {
    Whereabouts where = peer.whereabouts();
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
                Numerics.VERSION,
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
      dialled.connection().cut();
      throw new ClusterException(at + ": " + Words.of(e), e);
    }
  }

  private HostPort advertised() {
    HostPort advertise = settings.advertise();
    return advertise == null ? address() : advertise;
  }

  /** Ends the links with a node; it is told why, and our receiver of the loss. */
  public void hangUp(String node, String why) {
    Peer peer = peers.get(node);
    if (peer != null) {
      peer.breakUp(why, true);
    }
  }

  /** As {@link Calls#call}, from this node. */
  public <T> T call(HostPort at, String call, Duration patience, Exchange<T> exchange) {
    return Calls.call(us, advertised(), at, call, patience, exchange);
  }

  /** Who answers that call; each on a thread of its own. */
  public void answer(String call, CallHandler handler) {
    reception.answer(call, handler);
  }

  private Peer peer(String node) {
    return peers.computeIfAbsent(node, name -> new Peer(name, settings, receiver, this::drop));
  }

  /** Links that others dialled. */
  private final class Taking implements Reception.Links {
    @Override
    public boolean isOver(Hello hello) {
      Peer peer = peers.get(hello.name());
      return peer != null && peer.isOver(hello.incarnation());
    }

    @Override
    public boolean hasRoom(Hello hello) {
      return peers.values().stream()
              .filter(peer -> peer.isBound() && !peer.name.equals(hello.name()))
              .count()
          < settings.links();
    }

    @Override
    public void take(Hello hello, Connection connection) throws IOException {
      synchronized (peers) {
        if (closed) {
          throw new IOException("closed");
        }
        Peer peer = peer(hello.name());
        if (hello.listening() != null) {
          // the answer may be due before the network has told of it here
          peer.introduced(new Whereabouts(hello.listening(), hello.incarnation()));
        }
        peer.attach(connection, hello.incarnation(), false);
      }
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(settings.patience().dividedBy(2));
        long now = System.nanoTime();
        for (Peer peer : peers.values()) {
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
    for (Peer peer : peers.values()) {
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
  int guests() {
    return listener.guests();
  }

  /** Nodes that are known or linked: for tests. */
  Set<String> peers() {
    return Set.copyOf(peers.keySet());
  }

  /** The link to a node, where there is one: for tests. */
  @Nullable Link link(String node) {
    Peer peer = peers.get(node);
    return peer == null ? null : peer.dialled();
  }
}
