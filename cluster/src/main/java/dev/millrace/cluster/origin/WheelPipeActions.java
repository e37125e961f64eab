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

/** Planning acts on the wheels, and by the traffic with nodes. For any thread. */
final class WheelPipeActions implements PipeActions {
  private final BatchLoop wheels;
  private final MessageRouter traffic;
  private final @Nullable Auditor audit;
  private final BiConsumer<String, String> hangUp;
  private final Runnable announce;

  /**
   * @param hangUp ends the links with a node, for a reason
   * @param announce tells the network how the pipes are now
   */
  WheelPipeActions(
      BatchLoop wheels,
      MessageRouter traffic,
      @Nullable Auditor audit,
      BiConsumer<String, String> hangUp,
      Runnable announce) {
    this.wheels = wheels;
    this.traffic = traffic;
    this.audit = audit;
    this.hangUp = hangUp;
    this.announce = announce;
  }

  @Override
  public void send(String node, NodeMessage message) {
    traffic.send(node, message);
  }

  @Override
  public void usePlan(int pipe, @Nullable PipeSession session, String why) {
    traffic.hops().get(pipe).setSession(session);
    wheels.setPlan(pipe, session == null ? null : session.plan(), why);
  }

  @Override
  public void revokeAll(String why) {
    wheels.revokeAll(why);
  }

  @Override
  public void disconnect(String node, String why) {
    hangUp.accept(node, why);
  }

  @Override
  public List<InFlightGroup> stepsAway(int pipe) {
    return wheels.inFlight(pipe);
  }

  @Override
  public boolean isIdle(int pipe) {
    boolean examined = audit != null && audit.isOpen(pipe);
    return wheels.stats(pipe).admitted() == 0 && wheels.stats().waiting() == 0 && !examined;
  }

  @Override
  public WheelStats stats(int pipe) {
    return wheels.stats(pipe);
  }

  @Override
  public void announce(List<PipeState> pipes, List<String> expelled) {
    announce.run();
  }
}
