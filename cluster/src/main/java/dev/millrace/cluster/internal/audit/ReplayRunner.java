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

/** Replays layers of a sequence, on another node that holds them or here. */
public final class ReplayRunner {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /**
   * The result of a replay.
   *
   * @param by the node that computed it; empty: this origin
   */
  record Result(HiddenStates rows, String by) {}

  /** Makes the replay for a node. */
  public interface RemoteReplayFactory {
    RemoteReplay at(String holder);
  }

  private final ModelRequirements need;
  private final Supplier<List<OriginStatus.LayerHolder>> holders;
  private final RemoteReplayFactory remote;
  private final LocalReplay local;
  private final NodePenalties penalties = new NodePenalties(); // used by the auditor's thread
  private volatile @Nullable RemoteReplay current;

  /**
   * @param holders the nodes that may be asked now
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

  /** Takes a message of a replay's session; false if it belongs to none. Any thread. */
  boolean received(String from, NodeMessage message) {
    RemoteReplay replay = current;
    if (replay == null || replay.session() != message.session()) {
      return false;
    }
    replay.received(from, message);
    return true;
  }

  /** The link with a node is lost. Any thread. */
  void lost(String node, String why) {
    RemoteReplay replay = current;
    if (replay != null) {
      replay.lost(node, why);
    }
  }

  /** A message of a session could not be sent. Any thread. */
  void undelivered(String node, long session, String why) {
    RemoteReplay replay = current;
    if (replay != null && replay.session() == session) {
      replay.lost(node, why);
    }
  }

  /**
   * Replays on another node; null if none can. A node that fails or takes too long is not asked
   * again for a while.
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
        penalties.reset(holder.node());
        return new Result(out, holder.node());
      } catch (ReplayFailedException e) {
        penalties.penalize(
            holder.node(), NodePenalties.Fault.WORK, e.getMessage(), System.nanoTime());
        LOG.log(Level.INFO, "an audit continues elsewhere: {0}", e.getMessage());
      } finally {
        current = null;
      }
    }
    return null;
  }

  /**
   * Replays here, however long that takes.
   *
   * @param isObsolete whether the result is no longer needed
   */
  HiddenStates replayHere(NodeLayers stretch, HiddenStates in, BooleanSupplier isObsolete)
      throws ReplayFailedException {
    return local.replay(stretch.from(), stretch.to(), in, isObsolete);
  }

  /** Up to two nodes that can replay; nodes outside the pipe first. */
  private List<OriginStatus.LayerHolder> holders(NodeLayers stretch, PipeSession session) {
    long now = System.nanoTime();
    return holders.get().stream()
        .filter(holder -> penalties.exclusionReason(holder.node(), now) == null)
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
