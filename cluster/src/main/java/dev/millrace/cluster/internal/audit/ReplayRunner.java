package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.plan.NodePenalties;
import dev.millrace.cluster.internal.plan.OriginStatus;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.lang.System.Logger.Level;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where layers of a sequence are computed once more: by others that hold them, or here. */
public final class ReplayRunner {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /**
   * What came of it.
   *
   * @param by the node that computed it; empty: this one
   */
  record Result(HiddenStates rows, String by) {}

  /** Makes the replay at a node. */
  public interface RemoteReplayFactory {
    RemoteReplay at(String holder);
  }

  private final ModelRequirements need;
  private final Supplier<List<OriginStatus.LayerHolder>> holders;
  private final RemoteReplayFactory remote;
  private final LocalReplay local;
  private final NodePenalties blame = new NodePenalties(); // of the audit's thread
  private volatile @Nullable RemoteReplay current;

  /**
   * @param holders who may be asked now
   */
  public ReplayRunner(
      ModelRequirements need,
      Supplier<List<OriginStatus.LayerHolder>> holders,
      RemoteReplayFactory remote,
      LocalReplay local) {
    this.need = need;
    this.holders = holders;
    this.remote = remote;
    this.local = local;
  }

  /** Takes a message of a replay's session; false where it is of none. Any thread. */
  boolean received(String from, NodeMessage message) {
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
  @Nullable Result replayElsewhere(NodeLayers stretch, PipeSession session, HiddenStates in)
      throws InterruptedException {
    for (OriginStatus.LayerHolder holder : holders(stretch, session)) {
      RemoteReplay replay = remote.at(holder.node());
      current = replay;
      try {
        long allowed = ReplayTimeout.nanos(need, stretch, in.count(), holder.speed());
        long until = System.nanoTime() + allowed;
        HiddenStates out = replay.replay(stretch.from(), stretch.to(), in, until);
        blame.reset(holder.node());
        return new Result(out, holder.node());
      } catch (ReplayFailedException e) {
        blame.penalize(holder.node(), NodePenalties.Fault.WORK, e.getMessage(), System.nanoTime());
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
  HiddenStates replayHere(NodeLayers stretch, HiddenStates in, BooleanSupplier enough)
      throws ReplayFailedException {
    return local.replay(stretch.from(), stretch.to(), in, enough);
  }

  /** The one or two who may, those that have nothing to do with the pipe first. */
  private List<OriginStatus.LayerHolder> holders(NodeLayers stretch, PipeSession session) {
    long now = System.nanoTime();
    return holders.get().stream()
        .filter(holder -> blame.exclusionReason(holder.node(), now) == null)
        .filter(holder -> !holder.node().equals(stretch.node()))
        .filter(
            holder ->
                holder.loaded().stream()
                    .anyMatch(r -> r.from() <= stretch.from() && stretch.to() <= r.to()))
        .sorted(
            Comparator.comparing(
                    (OriginStatus.LayerHolder holder) -> session.includes(holder.node()))
                .thenComparingInt(OriginStatus.LayerHolder::sessions)
                .thenComparing(OriginStatus.LayerHolder::node))
        .limit(2)
        .toList();
  }
}
