package dev.millrace.cluster.origin;

import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.internal.audit.Auditor;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.plan.PipeActions;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The actions of the planner on the batch loop and on nodes. Any thread. */
final class WheelPipeActions implements PipeActions {
  private final BatchLoop batchLoop;
  private final MessageRouter router;
  private final @Nullable Auditor auditor;
  private final BiConsumer<String, String> disconnect;
  private final Runnable announce;

  /**
   * @param disconnect ends the links with a node; arguments: node, reason
   * @param announce broadcasts the state of the pipes
   */
  WheelPipeActions(
      BatchLoop batchLoop,
      MessageRouter router,
      @Nullable Auditor auditor,
      BiConsumer<String, String> disconnect,
      Runnable announce) {
    this.batchLoop = batchLoop;
    this.router = router;
    this.auditor = auditor;
    this.disconnect = disconnect;
    this.announce = announce;
  }

  @Override
  public void send(String node, NodeMessage message) {
    router.send(node, message);
  }

  @Override
  public void usePlan(int pipe, @Nullable PipeSession session, String why) {
    router.transports().get(pipe).setSession(session);
    batchLoop.setPlan(pipe, session == null ? null : session.plan(), why);
  }

  @Override
  public void revokeAll(String why) {
    batchLoop.revokeAll(why);
  }

  @Override
  public void disconnect(String node, String why) {
    disconnect.accept(node, why);
  }

  @Override
  public List<InFlightGroup> stepsAway(int pipe) {
    return batchLoop.inFlight(pipe);
  }

  @Override
  public boolean isIdle(int pipe) {
    boolean isAudited = auditor != null && auditor.isOpen(pipe);
    return batchLoop.stats(pipe).admitted() == 0 && batchLoop.stats().waiting() == 0 && !isAudited;
  }

  @Override
  public WheelStats stats(int pipe) {
    return batchLoop.stats(pipe);
  }

  @Override
  public void announce(List<PipeState> pipes, List<String> expelled) {
    announce.run();
  }
}
