package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.place.CandidateNode;
import dev.millrace.cluster.internal.place.PipePlanner;
import dev.millrace.cluster.internal.place.Placement;
import dev.millrace.cluster.internal.place.PlannedPipe;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which pipes there are: made from what nodes have, opened, watched, left when a node of them fails,
 * and made anew from what remains. It is told events and the time, and acts through {@link PipeActions};
 * one thread at a time, the planner's.
 */
public final class PipeCoordinator {
  /** How long nodes may take to open a session. */
  static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long nodes may take to say which steps they have. */
  static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long a node whose link works may be missing in the network. */
  static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** News of states are gathered for so long before a plan is made of them. */
  static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Whatever happens or not, what there is is looked at again after so long. */
  static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** After a node failed a step, and once it was used again, the next one counts as another. */
  static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final String origin;
  private final ModelRequirements need;
  private final PipeActions actions;
  private final OriginCounters counters;
  private final StepDeadlines deadlines;
  private final NodePenalties penalties = new NodePenalties();
  private final KnownNodes nodes;
  private final PipeSet pipes;
  private final OriginStatus status;
  private final Map<String, Long> failedUntil = new HashMap<>(); // while that is the last failure
  private long planAt = Long.MAX_VALUE; // nothing is known yet
  private long lastTick;

  /**
   * @param ids draws the numbers of sessions, never 0
   */
  public PipeCoordinator(
      PipeDemand demand,
      KnownNodes nodes,
      PipeActions actions,
      OriginCounters counters,
      LongSupplier ids) {
    this.origin = demand.origin();
    this.need = demand.need();
    this.actions = actions;
    this.counters = counters;
    this.nodes = nodes;
    this.deadlines = new StepDeadlines(demand.stepNanos(), ANSWER_NANOS);
    status = new OriginStatus(demand, actions, counters);
    pipes = new PipeSet(demand, actions, counters, status, ids);
  }

  /** What is known to others of all this; for any thread. */
  public OriginStatus status() {
    return status;
  }

  public void handle(PlannerEvent event, long now) {
    switch (event) {
      case PlannerEvent.States states -> states(states, now);
      case PlannerEvent.Lost lost -> lost(lost.node(), lost.why(), now);
      case PlannerEvent.Opened opened -> {
        if (pipes.opened(opened.node(), opened.session(), now)) {
          status.refresh(pipes.all(), penalties, nodes, now);
        }
      }
      case PlannerEvent.Refused refused -> refused(refused, now);
      case PlannerEvent.Unreached unreached -> unreached(unreached, now);
      case PlannerEvent.Probed probed -> {
        PipeStateMachine pipe = pipes.bySession(probed.session());
        if (pipe != null) {
          deadlines.probed(PipeSet.session(pipe), probed.node(), probed.stretches());
        }
      }
      case PlannerEvent.Failed failed -> failed(failed, now);
      case PlannerEvent.Suspect doubtful -> doubt(doubtful.node(), doubtful.why(), now);
      case PlannerEvent.Lied lied -> lied(lied, now);
    }
  }

  private void states(PlannerEvent.States event, long now) {
    KnownNodes.Change change =
        nodes.update(event.states(), node -> pipes.sessionsAt(node) > 0, now);
    change.renewed().forEach(penalties::seen);
    change.arrived().forEach(penalties::reset);
    for (String node : change.restarted()) {
      penalties.reset(node);
      breakPipesOf(node, "it was started anew", now);
    }
    status.markStale();
    planAt = Math.min(planAt, now + GATHER_NANOS);
  }

  private void lost(String node, String why, long now) {
    if (nodes.has(node) || pipes.sessionsAt(node) > 0) {
      counters.lost.increment();
      leave(node, NodePenalties.Fault.LINK, "the link is lost: " + why, now);
    }
    nodes.remove(node);
  }

  private void refused(PlannerEvent.Refused refused, long now) {
    if (refused.session() == 0) { // layers that it was asked to hold
      nodes.refused(refused.node(), refused.why(), now);
      planAt = Math.min(planAt, now + GATHER_NANOS);
    } else if (pipes.bySession(refused.session()) != null) {
      leave(refused.node(), NodePenalties.Fault.WORK, "refused: " + refused.why(), now);
    }
  }

  /**
   * The first time the node is to penalties, and as long as others can do its work: its sequences go
   * there and lose nothing. Where there is nobody else, it may be the sequences, and they end.
   */
  private void failed(PlannerEvent.Failed failed, long now) {
    String node = failed.node();
    if (pipes.bySession(failed.session()) == null) {
      return; // they are being rebuilt
    }
    Long until = failedUntil.get(node);
    boolean again = until != null && now - until < 0;
    if (again && !canDoWithout(node, now)) {
      failedUntil.put(node, now + FAILURE_NANOS);
      failed.accept().run();
      return;
    }
    String own = "node " + node + ", "; // who it was is said anyway
    String why = failed.why().startsWith(own) ? failed.why().substring(own.length()) : failed.why();
    leave(node, NodePenalties.Fault.WORK, "a step failed: " + why, now);
    failedUntil.put(node, penalties.excludedUntil(node, now) + FAILURE_NANOS);
  }

  private boolean canDoWithout(String node, long now) {
    List<CandidateNode> others = candidates(now);
    others.removeIf(candidate -> candidate.node().equals(node));
    return !PipePlanner.plan(need, origin, others, 1, List.of()).pipes().isEmpty();
  }

  private List<CandidateNode> candidates(long now) {
    return nodes.candidates(
        node -> penalties.exclusionReason(node, now) == null, pipes::sessionsAt, now);
  }

  private void unreached(PlannerEvent.Unreached unreached, long now) {
    if (unreached.session() == 0 && unreached.by().isEmpty()) { // was to be asked for layers
      nodes.refused(unreached.node(), "it could not be reached: " + unreached.why(), now);
      planAt = Math.min(planAt, now + GATHER_NANOS);
      return;
    }
    PipeStateMachine pipe = pipes.bySession(unreached.session());
    if (pipe == null || !PipeSet.session(pipe).includes(unreached.node())) {
      return;
    }
    String by = unreached.by();
    if (by.isEmpty()) {
      leave(
          unreached.node(),
          NodePenalties.Fault.LINK,
          "could not be reached: " + unreached.why(),
          now);
      actions.disconnect(unreached.node(), unreached.why());
    } else if (PipeSet.session(pipe).includes(by)) {
      doubt(unreached.node(), "could not be reached: by " + by + ": " + unreached.why(), now);
    }
  }

  /** Leaves a node out for a while; pipes that it is in are made anew without it. */
  private void leave(String node, NodePenalties.Fault fault, String why, long now) {
    penalties.penalize(node, fault, why, now);
    breakPipesOf(node, why, now);
    plan(now);
  }

  /** Leaves a node that does not do its work; what waits to be sent there would wait for ever. */
  private void doubt(String node, String why, long now) {
    leave(node, NodePenalties.Fault.WORK, why, now);
    actions.disconnect(node, why);
  }

  /** What came through a liar may be anywhere by now: before any plan changes, all of it goes. */
  private void lied(PlannerEvent.Lied lied, long now) {
    String why = "of " + String.join(", ", lied.nodes()) + ": " + lied.why();
    actions.revokeAll(why);
    for (String node : lied.nodes()) {
      if (!penalties.isExpelled(node)) {
        penalties.expel(node, lied.why());
        LOG.log(Level.ERROR, "node {0} is expelled: {1}", node, lied.why());
      }
      breakPipesOf(node, lied.why(), now);
      actions.disconnect(node, lied.why());
    }
    plan(now);
  }

  /** Does what is due by now. */
  public void tick(long now) {
    for (String node : nodes.absentFor(ABSENT_NANOS, now)) {
      breakPipesOf(node, "it left the network", now);
      nodes.remove(node);
      planAt = now;
    }
    for (PipeStateMachine pipe : pipes.all()) {
      switch (pipe.state()) {
        case NONE -> {}
        case OPENING -> checkOpening(pipe, now);
        case RUNNING -> checkRunning(pipe, now);
      }
    }
    if (now - planAt >= 0 || penalties.anyReturned(lastTick, now)) {
      plan(now);
    }
    lastTick = now;
    status.refresh(pipes.all(), penalties, nodes, now);
  }

  private void checkOpening(PipeStateMachine pipe, long now) {
    if (now - pipe.since() < OPENING_NANOS) {
      return;
    }
    String why = "did not open in %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(OPENING_NANOS));
    List<String> awaited = pipe.awaited();
    pipes.breakPipe(pipe, String.join(", ", awaited) + " " + why, now);
    for (String node : awaited) {
      boolean gone = penalties.isSilentSinceLoss(node); // and not back: that is no other fault
      penalties.penalize(node, gone ? NodePenalties.Fault.LINK : NodePenalties.Fault.WORK, why, now);
    }
    awaited.forEach(node -> actions.disconnect(node, why));
    planAt = now;
  }

  private void checkRunning(PipeStateMachine pipe, long now) {
    PipeSession session = PipeSet.session(pipe);
    StepDeadlines.Finding finding = deadlines.check(session, actions.stepsAway(pipe.number()), now);
    switch (finding) {
      case null -> session.otherNodes().forEach(node -> penalties.workedFor(node, now - pipe.since()));
      case StepDeadlines.Finding.Ask ask -> pipes.probe(pipe);
      case StepDeadlines.Finding.Late late -> doubt(late.node(), late.why(), now);
    }
  }

  /** Makes of what there is as many pipes as can run, without touching those that do. */
  private void plan(long now) {
    planAt = now + AGAIN_NANOS;
    List<CandidateNode> candidates = candidates(now);
    Placement placement = place(candidates);
    List<PlannedPipe> fresh = new ArrayList<>(placement.pipes());
    for (PipeStateMachine pipe : pipes.all()) {
      if (pipe.session() != null && !fresh.remove(pipes.planOf(pipe))) {
        if (isIdle(pipe)) {
          pipes.closeIdle(pipe, now);
        } else {
          pipes.breakPipe(pipe, "a node has its layers no more", now);
        }
      }
    }
    fresh.forEach(planned -> pipes.open(planned, now));
    wish(placement, now);
    status.planned(placement, candidates);
    status.refresh(pipes.all(), penalties, nodes, now);
  }

  /** Pipes that run stay as they are; but idle ones give way where there can be more pipes. */
  private Placement place(List<CandidateNode> candidates) {
    List<PlannedPipe> all = new ArrayList<>();
    List<PlannedPipe> busy = new ArrayList<>();
    for (PipeStateMachine pipe : pipes.all()) {
      if (pipe.session() != null) {
        all.add(pipes.planOf(pipe));
        if (!isIdle(pipe)) {
          busy.add(pipes.planOf(pipe));
        }
      }
    }
    int most = pipes.all().size();
    Placement kept = PipePlanner.plan(need, origin, candidates, most, all);
    if (busy.size() == all.size() || all.size() == most) {
      return kept;
    }
    Placement anew = PipePlanner.plan(need, origin, candidates, most, busy);
    return anew.pipes().size() > kept.pipes().size() ? anew : kept;
  }

  private boolean isIdle(PipeStateMachine pipe) {
    return pipe.isRunning() && actions.isIdle(pipe.number());
  }

  private void wish(Placement placement, long now) {
    for (Placement.LayerAssignment wish : placement.assignments()) {
      if (nodes.recordRequest(wish, now)) {
        int from = wish.range().from();
        int to = wish.range().to();
        long bytes = 0;
        for (int layer = from; layer < to; layer++) {
          bytes += need.layerBytes().get(layer);
        }
        LoadLayersRequest assignment =
            new LoadLayersRequest(need.sha256(), need.model(), from, to, need.fileBytes(), bytes);
        actions.send(wish.node(), new NodeMessage(Kind.LOAD, 0, WireCodec.encode(assignment)));
        LOG.log(Level.INFO, "node {0} is asked to hold layers {1}", wish.node(), wish.range());
      }
    }
  }

  private void breakPipesOf(String node, String why, long now) {
    for (PipeStateMachine pipe : pipes.ofNode(node)) {
      pipes.breakPipe(pipe, "node " + node + ": " + why, now);
      planAt = Math.min(planAt, now);
    }
  }

  /** Ends all sessions: the origin goes. */
  public void close(long now) {
    pipes.close(now);
  }
}
