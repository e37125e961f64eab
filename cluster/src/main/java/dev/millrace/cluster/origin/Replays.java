package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.wire.Message;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.lang.System.Logger.Level;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where layers of a sequence are computed once more: by others that hold them, or here. */
final class Replays {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /**
   * What came of it.
   *
   * @param by the node that computed it; empty: this one
   */
  record Found(Rows rows, String by) {}

  /** Makes the replay at a node. */
  interface Remote {
    RemoteReplay at(String holder);
  }

  private final ModelNeed need;
  private final Supplier<List<Board.Holder>> holders;
  private final Remote remote;
  private final LocalReplay local;
  private final Blame blame = new Blame(); // of the audit's thread
  private volatile @Nullable RemoteReplay current;

  /**
   * @param holders who may be asked now
   */
  Replays(ModelNeed need, Supplier<List<Board.Holder>> holders, Remote remote, LocalReplay local) {
    this.need = need;
    this.holders = holders;
    this.remote = remote;
    this.local = local;
  }

  /** Takes a message of a replay's session; false where it is of none. Any thread. */
  boolean received(String from, Message message) {
    RemoteReplay replay = current;
    if (replay == null || replay.session() != message.session()) {
      return false;
    }
    replay.received(from, message);
    return true;
  }

  /** There is no link with a node any more. Any thread. */
  void lost(String node, String why) {
    RemoteReplay replay = current;
    if (replay != null) {
      replay.lost(node, why);
    }
  }

  /** Something of a session could not be sent. Any thread. */
  void undelivered(String node, long session, String why) {
    RemoteReplay replay = current;
    if (replay != null && replay.session() == session) {
      replay.lost(node, why);
    }
  }

  /**
   * Has it computed by another holder; null where none can. One that fails, or takes too long, is
   * not asked again for a while.
   */
  @Nullable Found elsewhere(Stretch stretch, Session session, Rows in) throws InterruptedException {
    for (Board.Holder holder : holders(stretch, session)) {
      RemoteReplay replay = remote.at(holder.node());
      current = replay;
      try {
        long allowed = Allowance.nanos(need, stretch, in.count(), holder.speed());
        long until = System.nanoTime() + allowed;
        Rows out = replay.replay(stretch.from(), stretch.to(), in, until);
        blame.seenAgain(holder.node());
        return new Found(out, holder.node());
      } catch (ReplayFailed e) {
        blame.leave(holder.node(), Blame.Fault.WORK, e.getMessage(), System.nanoTime());
        LOG.log(Level.INFO, "an audit goes on elsewhere: {0}", e.getMessage());
      } finally {
        current = null;
      }
    }
    return null;
  }

  /**
   * Computes it here, however long that takes.
   *
   * @param enough whether nobody needs it any more
   */
  Rows here(Stretch stretch, Rows in, BooleanSupplier enough) throws ReplayFailed {
    return local.replay(stretch.from(), stretch.to(), in, enough);
  }

  /** The one or two who may, those that have nothing to do with the pipe first. */
  private List<Board.Holder> holders(Stretch stretch, Session session) {
    long now = System.nanoTime();
    return holders.get().stream()
        .filter(holder -> blame.whyLeft(holder.node(), now) == null)
        .filter(holder -> !holder.node().equals(stretch.node()))
        .filter(
            holder ->
                holder.loaded().stream()
                    .anyMatch(r -> r.from() <= stretch.from() && stretch.to() <= r.to()))
        .sorted(
            Comparator.comparing((Board.Holder holder) -> session.has(holder.node()))
                .thenComparingInt(Board.Holder::sessions)
                .thenComparing(Board.Holder::node))
        .limit(2)
        .toList();
  }
}
