package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.PipeState;
import dev.millrace.cluster.wire.Message;
import dev.millrace.engine.wheel.WheelStats;
import dev.millrace.engine.wheel.Wheels;
import dev.millrace.engine.wheel.Wheels.Away;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Planning acts on the wheels, and by the traffic with nodes. For any thread. */
final class OnWheels implements Works {
  private final Wheels wheels;
  private final Traffic traffic;
  private final @Nullable Audit audit;
  private final BiConsumer<String, String> hangUp;
  private final Runnable announce;

  /**
   * @param hangUp ends the links with a node, for a reason
   * @param announce tells the network how the pipes are now
   */
  OnWheels(
      Wheels wheels,
      Traffic traffic,
      @Nullable Audit audit,
      BiConsumer<String, String> hangUp,
      Runnable announce) {
    this.wheels = wheels;
    this.traffic = traffic;
    this.audit = audit;
    this.hangUp = hangUp;
    this.announce = announce;
  }

  @Override
  public void send(String node, Message message) {
    traffic.send(node, message);
  }

  @Override
  public void plan(int pipe, @Nullable Session session, String why) {
    traffic.hops().get(pipe).use(session);
    wheels.plan(pipe, session == null ? null : session.plan(), why);
  }

  @Override
  public void revokeAll(String why) {
    wheels.revokeAll(why);
  }

  @Override
  public void hangUp(String node, String why) {
    hangUp.accept(node, why);
  }

  @Override
  public List<Away> away(int pipe) {
    return wheels.away(pipe);
  }

  @Override
  public boolean idle(int pipe) {
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
