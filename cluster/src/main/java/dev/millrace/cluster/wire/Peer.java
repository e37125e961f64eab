package dev.millrace.cluster.wire;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Another node, as its links are kept: where it is, and the {@link Bond} with it. Where it is stays
 * known while the network tells of it or the bond holds.
 */
final class Peer {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Where a node is, and which life of it. */
  record Whereabouts(HostPort at, long incarnation) {}

  final String name;

  /** Held by the one who dials it. */
  final ReentrantLock dialling = new ReentrantLock();

  private final WireSettings settings;
  private final Receiver receiver;
  private final Consumer<Peer> unbound;
  private @Nullable Whereabouts whereabouts;

  /** Whether the network tells of it. */
  private boolean told;

  private @Nullable Bond bond;
  private boolean closed;

  /**
   * @param unbound told when a bond has ended
   */
  Peer(String name, WireSettings settings, Receiver receiver, Consumer<Peer> unbound) {
    this.name = name;
    this.settings = settings;
    this.receiver = receiver;
    this.unbound = unbound;
  }

  synchronized @Nullable Whereabouts whereabouts() {
    return whereabouts;
  }

  /** The network tells where it is. Links with another life of it end. */
  synchronized void told(Whereabouts now) {
    told = true;
    whereabouts = now;
    if (bond != null && bond.incarnation != now.incarnation()) {
      breakUp("it started anew", true);
    }
  }

  /** The network does not tell of it any more; a bond that holds is not broken for that. */
  synchronized void untold() {
    told = false;
    if (bond == null || bond.broken != null) {
      whereabouts = null;
    }
  }

  /** It says itself where it is, maybe before the network does. */
  synchronized void introduced(Whereabouts said) {
    if (!told || whereabouts == null || whereabouts.incarnation() < said.incarnation()) {
      whereabouts = said;
    }
  }

  /** Whether a later life of it is known. */
  synchronized boolean isOver(long incarnation) {
    return whereabouts != null && incarnation < whereabouts.incarnation();
  }

  synchronized boolean isBound() {
    return bond != null && bond.told.getCount() > 0;
  }

  /** Whether nothing is known of it and nothing connects us. */
  synchronized boolean isStranger() {
    return whereabouts == null && !isBound();
  }

  /** The link to send on, where there is one. */
  synchronized @Nullable Link dialled() {
    return bond == null || bond.broken != null ? null : bond.dialled;
  }

  /** Breaks what there is; its loss is told by the links' own threads. */
  synchronized void breakUp(String why, boolean tell) {
    if (bond != null) {
      breakUp(bond, why, tell);
    }
  }

  /** Ends all without telling our receiver; gives the links to wait for. */
  synchronized List<Link> close(String why) {
    closed = true;
    breakUp(why, true);
    return links();
  }

  synchronized List<Link> links() {
    List<Link> links = new ArrayList<>();
    for (Bond b = bond; b != null; b = b.before) {
      for (Link link : new @Nullable Link[] {b.dialled, b.taken}) {
        if (link != null) {
          links.add(link);
        }
      }
    }
    return links;
  }

  /** Takes a connection in that was greeted, and starts its link. */
  Link attach(Connection connection, long incarnation, boolean dialled) throws IOException {
    Link link = bound(connection, incarnation, dialled);
    link.start();
    return link;
  }

  private synchronized Link bound(Connection connection, long incarnation, boolean dialled)
      throws IOException {
    if (closed) {
      throw new IOException("closed");
    }
    if (dialled && (whereabouts == null || whereabouts.incarnation() != incarnation)) {
      throw new IOException("node \"%s\" left while it was dialled".formatted(name));
    }
    Bond now = bond;
    if (now != null && now.broken == null && !fits(now, incarnation, dialled)) {
      now.breakUp("it connected anew", false);
    }
    if (now == null || now.broken != null) {
      now = new Bond(incarnation, now);
    }
    Link link = new Link(name, connection, dialled, settings, new Ending(now));
    if (dialled) {
      now.dialled = link;
    } else {
      now.taken = link;
    }
    now.alive++;
    bond = now;
    return link;
  }

  private static boolean fits(Bond bond, long incarnation, boolean dialled) {
    return bond.incarnation == incarnation && (dialled ? bond.dialled : bond.taken) == null;
  }

  /** Whether the last link of a broken bond ended with this one. */
  private synchronized boolean last(Bond of, Link link) {
    String why = link.why();
    breakUp(of, why == null ? "the connection ended" : why, false);
    return --of.alive == 0;
  }

  private synchronized @Nullable Bond before(Bond of) {
    return of.before;
  }

  private synchronized void forgetBefore(Bond of) {
    of.before = null;
  }

  private void breakUp(Bond of, String why, boolean tell) {
    of.breakUp(why, tell);
    if (!told && bond == of) {
      whereabouts = null;
    }
  }

  private synchronized boolean tells() {
    return !closed;
  }

  /** What a link of a bond tells. */
  private final class Ending implements Link.Ends {
    private final Bond bond;

    Ending(Bond bond) {
      this.bond = bond;
    }

    @Override
    public void begins() throws InterruptedException {
      waitForLossBefore();
    }

    @Override
    public void received(Message message) {
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
          receiver.lost(name, String.valueOf(bond.broken));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "the loss of " + name + " could not be taken", e);
      } finally {
        bond.told.countDown();
        unbound.accept(Peer.this);
      }
    }

    /** Losses and messages are told in their order. */
    private void waitForLossBefore() throws InterruptedException {
      Bond before = before(bond);
      if (before == null) {
        return;
      }
      if (!before.told.await(settings.patience().toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.log(Level.WARNING, "the loss of {0} is taken too slowly", name);
      }
      forgetBefore(bond);
    }
  }
}
