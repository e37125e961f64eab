package dev.millrace.cluster.internal.link;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.TlsConnection;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Another node: its location and the {@link LinkPair} with it. The location stays known while the
 * membership announces the node or the pair is intact.
 */
final class LinkedNode {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** A node's address, and which incarnation is there. */
  record Location(HostPort at, long incarnation) {}

  final String name;

  /** Held while a thread dials the node. */
  final ReentrantLock dialLock = new ReentrantLock();

  private final ConnectionSettings settings;
  private final MessageReceiver receiver;
  private final Consumer<LinkedNode> onPairEnded;
  private @Nullable Location location;

  /** Whether the membership announces the node. */
  private boolean isAnnounced;

  private @Nullable LinkPair pair;
  private boolean closed;

  /**
   * @param onPairEnded called when a pair has ended
   */
  LinkedNode(
      String name,
      ConnectionSettings settings,
      MessageReceiver receiver,
      Consumer<LinkedNode> onPairEnded) {
    this.name = name;
    this.settings = settings;
    this.receiver = receiver;
    this.onPairEnded = onPairEnded;
  }

  synchronized @Nullable Location location() {
    return location;
  }

  /** The membership announces the node. Links with another incarnation end. */
  synchronized void announced(Location now) {
    isAnnounced = true;
    location = now;
    if (pair != null && pair.incarnation != now.incarnation()) {
      endLinks("it restarted", true);
    }
  }

  /** The membership no longer announces the node; an intact pair stays. */
  synchronized void withdrawn() {
    isAnnounced = false;
    if (pair == null || pair.brokenReason != null) {
      location = null;
    }
  }

  /** The node itself says where it is, maybe before the membership does. */
  synchronized void introducedItself(Location said) {
    if (!isAnnounced || location == null || location.incarnation() < said.incarnation()) {
      location = said;
    }
  }

  /** Whether a newer incarnation of the node is known. */
  synchronized boolean hasLaterIncarnation(long incarnation) {
    return location != null && incarnation < location.incarnation();
  }

  synchronized boolean isLinked() {
    return pair != null && pair.lossReported.getCount() > 0;
  }

  /** Whether neither a location nor a link is left. */
  synchronized boolean isUnknown() {
    return location == null && !isLinked();
  }

  /** The link to send on; null if there is none. */
  synchronized @Nullable Link dialed() {
    return pair == null || pair.brokenReason != null ? null : pair.dialed;
  }

  /** Ends the links; their own threads report the loss. */
  synchronized void endLinks(String why, boolean sendReason) {
    if (pair != null) {
      endLinks(pair, why, sendReason);
    }
  }

  /** Ends all links without a report to the receiver; returns the links to wait for. */
  synchronized List<Link> close(String why) {
    closed = true;
    endLinks(why, true);
    return links();
  }

  synchronized List<Link> links() {
    List<Link> links = new ArrayList<>();
    for (LinkPair b = pair; b != null; b = b.previous) {
      for (Link link : new @Nullable Link[] {b.dialed, b.accepted}) {
        if (link != null) {
          links.add(link);
        }
      }
    }
    return links;
  }

  /** Makes a link of a connection after its hello, and starts it. */
  Link attach(TlsConnection connection, long incarnation, boolean dialed) throws IOException {
    Link link = newLink(connection, incarnation, dialed);
    link.start();
    return link;
  }

  private synchronized Link newLink(TlsConnection connection, long incarnation, boolean dialed)
      throws IOException {
    if (closed) {
      throw new IOException("closed");
    }
    if (dialed && (location == null || location.incarnation() != incarnation)) {
      throw new IOException("node \"%s\" left while it was dialed".formatted(name));
    }
    LinkPair now = pair;
    if (now != null && now.brokenReason == null && !fits(now, incarnation, dialed)) {
      now.end("it connected again", false);
    }
    if (now == null || now.brokenReason != null) {
      now = new LinkPair(incarnation, now);
    }
    Link link = new Link(name, connection, dialed, settings, new LinkEvents(now));
    if (dialed) {
      now.dialed = link;
    } else {
      now.accepted = link;
    }
    now.liveLinks++;
    pair = now;
    return link;
  }

  private static boolean fits(LinkPair pair, long incarnation, boolean dialed) {
    return pair.incarnation == incarnation && (dialed ? pair.dialed : pair.accepted) == null;
  }

  /** Whether this was the last live link of a broken pair. */
  private synchronized boolean isLastLink(LinkPair of, Link link) {
    String why = link.why();
    endLinks(of, why == null ? "the connection ended" : why, false);
    return --of.liveLinks == 0;
  }

  private synchronized @Nullable LinkPair previous(LinkPair of) {
    return of.previous;
  }

  private synchronized void forgetPrevious(LinkPair of) {
    of.previous = null;
  }

  private void endLinks(LinkPair of, String why, boolean sendReason) {
    of.end(why, sendReason);
    if (!isAnnounced && pair == of) {
      location = null;
    }
  }

  private synchronized boolean reportsLosses() {
    return !closed;
  }

  /** Events of the links of a pair. */
  private final class LinkEvents implements Link.Events {
    private final LinkPair pair;

    LinkEvents(LinkPair pair) {
      this.pair = pair;
    }

    @Override
    public void beforeFirstMessage() throws InterruptedException {
      awaitPreviousLoss();
    }

    @Override
    public void received(NodeMessage message) {
      receiver.received(name, message);
    }

    @Override
    public void ended(Link link) {
      if (!isLastLink(pair, link)) {
        return;
      }
      try {
        awaitPreviousLoss();
        if (reportsLosses()) {
          receiver.lost(name, String.valueOf(pair.brokenReason));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "handling the loss of node " + name + " failed", e);
      } finally {
        pair.lossReported.countDown();
        onPairEnded.accept(LinkedNode.this);
      }
    }

    /** Losses and messages are reported in their order. */
    private void awaitPreviousLoss() throws InterruptedException {
      LinkPair previous = previous(pair);
      if (previous == null) {
        return;
      }
      if (!previous.lossReported.await(settings.linkTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.log(Level.WARNING, "handling the loss of node {0} takes too long", name);
      }
      forgetPrevious(pair);
    }
  }
}
