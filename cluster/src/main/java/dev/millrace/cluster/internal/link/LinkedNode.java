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
 * Another node, as its links are kept: where it is, and the {@link LinkPair} with it. Where it is stays
 * known while the network tells of it or the bond holds.
 */
final class LinkedNode {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Where a node is, and which life of it. */
  record Location(HostPort at, long incarnation) {}

  final String name;

  /** Held by the one who dials it. */
  final ReentrantLock dialling = new ReentrantLock();

  private final ConnectionSettings settings;
  private final MessageReceiver receiver;
  private final Consumer<LinkedNode> unbound;
  private @Nullable Location whereabouts;

  /** Whether the network tells of it. */
  private boolean told;

  private @Nullable LinkPair bond;
  private boolean closed;

  /**
   * @param unbound told when a bond has ended
   */
  LinkedNode(
      String name,
      ConnectionSettings settings,
      MessageReceiver receiver,
      Consumer<LinkedNode> unbound) {
    this.name = name;
    this.settings = settings;
    this.receiver = receiver;
    this.unbound = unbound;
  }

  synchronized @Nullable Location whereabouts() {
    return whereabouts;
  }

  /** The network tells where it is. Links with another life of it end. */
  synchronized void announced(Location now) {
    told = true;
    whereabouts = now;
    if (bond != null && bond.incarnation != now.incarnation()) {
      endLinks("it started anew", true);
    }
  }

  /** The network does not tell of it any more; a bond that holds is not broken for that. */
  synchronized void withdrawn() {
    told = false;
    if (bond == null || bond.brokenReason != null) {
      whereabouts = null;
    }
  }

  /** It says itself where it is, maybe before the network does. */
  synchronized void introducedItself(Location said) {
    if (!told || whereabouts == null || whereabouts.incarnation() < said.incarnation()) {
      whereabouts = said;
    }
  }

  /** Whether a later life of it is known. */
  synchronized boolean hasLaterIncarnation(long incarnation) {
    return whereabouts != null && incarnation < whereabouts.incarnation();
  }

  synchronized boolean isLinked() {
    return bond != null && bond.lossReported.getCount() > 0;
  }

  /** Whether nothing is known of it and nothing connects us. */
  synchronized boolean isUnknown() {
    return whereabouts == null && !isLinked();
  }

  /** The link to send on, where there is one. */
  synchronized @Nullable Link dialled() {
    return bond == null || bond.brokenReason != null ? null : bond.dialled;
  }

  /** Breaks what there is; its loss is told by the links' own threads. */
  synchronized void endLinks(String why, boolean tell) {
    if (bond != null) {
      endLinks(bond, why, tell);
    }
  }

  /** Ends all without telling our receiver; gives the links to wait for. */
  synchronized List<Link> close(String why) {
    closed = true;
    endLinks(why, true);
    return links();
  }

  synchronized List<Link> links() {
    List<Link> links = new ArrayList<>();
    for (LinkPair b = bond; b != null; b = b.previous) {
      for (Link link : new @Nullable Link[] {b.dialled, b.accepted}) {
        if (link != null) {
          links.add(link);
        }
      }
    }
    return links;
  }

  /** Takes a connection in that was greeted, and starts its link. */
  Link attach(TlsConnection connection, long incarnation, boolean dialled) throws IOException {
    Link link = bound(connection, incarnation, dialled);
    link.start();
    return link;
  }

  private synchronized Link bound(TlsConnection connection, long incarnation, boolean dialled)
      throws IOException {
    if (closed) {
      throw new IOException("closed");
    }
    if (dialled && (whereabouts == null || whereabouts.incarnation() != incarnation)) {
      throw new IOException("node \"%s\" left while it was dialled".formatted(name));
    }
    LinkPair now = bond;
    if (now != null && now.brokenReason == null && !fits(now, incarnation, dialled)) {
      now.end("it connected anew", false);
    }
    if (now == null || now.brokenReason != null) {
      now = new LinkPair(incarnation, now);
    }
    Link link = new Link(name, connection, dialled, settings, new LinkEvents(now));
    if (dialled) {
      now.dialled = link;
    } else {
      now.accepted = link;
    }
    now.liveLinks++;
    bond = now;
    return link;
  }

  private static boolean fits(LinkPair bond, long incarnation, boolean dialled) {
    return bond.incarnation == incarnation && (dialled ? bond.dialled : bond.accepted) == null;
  }

  /** Whether the last link of a broken bond ended with this one. */
  private synchronized boolean last(LinkPair of, Link link) {
    String why = link.why();
    endLinks(of, why == null ? "the connection ended" : why, false);
    return --of.liveLinks == 0;
  }

  private synchronized @Nullable LinkPair before(LinkPair of) {
    return of.previous;
  }

  private synchronized void forgetBefore(LinkPair of) {
    of.previous = null;
  }

  private void endLinks(LinkPair of, String why, boolean tell) {
    of.end(why, tell);
    if (!told && bond == of) {
      whereabouts = null;
    }
  }

  private synchronized boolean tells() {
    return !closed;
  }

  /** What a link of a bond tells. */
  private final class LinkEvents implements Link.Events {
    private final LinkPair bond;

    LinkEvents(LinkPair bond) {
      this.bond = bond;
    }

    @Override
    public void beforeFirstMessage() throws InterruptedException {
      waitForLossBefore();
    }

    @Override
    public void received(NodeMessage message) {
      receiver.received(name, message);
    }

    @Override
    public void ended(Link link) {
      if (!last(bond, link)) {
        return;
      }
      try {
        waitForLossBefore();
        if (tells()) {
          receiver.lost(name, String.valueOf(bond.brokenReason));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "the loss of " + name + " could not be taken", e);
      } finally {
        bond.lossReported.countDown();
        unbound.accept(LinkedNode.this);
      }
    }

    /** Losses and messages are told in their order. */
    private void waitForLossBefore() throws InterruptedException {
      LinkPair before = before(bond);
      if (before == null) {
        return;
      }
      if (!before.lossReported.await(settings.linkTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.log(Level.WARNING, "the loss of {0} is taken too slowly", name);
      }
      forgetBefore(bond);
    }
  }
}
