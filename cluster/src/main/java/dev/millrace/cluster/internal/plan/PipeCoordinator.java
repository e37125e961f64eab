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
 * Plans the pipes of an origin from the states of nodes, opens and watches them, and replaces them
 * when a node fails. It gets events and the time, and acts through {@link PipeActions}. Only the
 * planner's thread uses it.
 */
public final class PipeCoordinator {
  /** How long nodes may take to open a session. */
  static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long nodes may take to answer a probe. */
  static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long a node with a working link may be missing from the network. */
  static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** New states are collected this long before a plan is made. */
  static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A plan is made at least this often. */
  static final long REPLAN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A further failure of a node within this time counts as repeated. */
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
  private final Map<String, Long> failedUntil = new HashMap<>(); // of nodes that failed a step
  private long planAt = Long.MAX_VALUE; // no state is known yet
  private long lastTick;

  /**
   * @param ids draws session numbers, never 0
   */
  public PipeCoordinator(
      PlannerSettings settings,
      KnownNodes nodes,
      PipeActions actions,
      OriginCounters counters,
      LongSupplier ids) {
    this.origin = settings.origin();
    this.need = settings.need();
    this.actions = actions;
    this.counters = counters;
    this.nodes = nodes;
    this.deadlines = new StepDeadlines(settings.stepNanos(), ANSWER_NANOS);
    status = new OriginStatus(settings, actions, counters);
    pipes = new PipeSet(settings, actions, counters, status, ids);
  }

  /** The state of the pipes, for any thread. */
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
      case PlannerEvent.Suspect doubtful -> suspect(doubtful.node(), doubtful.why(), now);
      case PlannerEvent.WrongResult wrongResult -> wrongResult(wrongResult, now);
    }
  }

  private void states(PlannerEvent.States event, long now) {
    KnownNodes.Change change =
        nodes.update(event.states(), node -> pipes.sessionsAt(node) > 0, now);
    change.renewed().forEach(penalties::seen);
    change.arrived().forEach(penalties::reset);
    for (String node : change.restarted()) {
      penalties.reset(node);
      breakPipesOf(node, "it was restarted", now);
    }
    status.markStale();
    planAt = Math.min(planAt, now + GATHER_NANOS);
  }

  private void lost(String node, String why, long now) {
    if (nodes.has(node) || pipes.sessionsAt(node) > 0) {
      counters.lost.increment();
      leaveOut(node, NodePenalties.Fault.LINK, "the link is lost: " + why, now);
    }
    nodes.remove(node);
  }

  private void refused(PlannerEvent.Refused refused, long now) {
    if (refused.session() == 0) { // a request for layers
      nodes.refused(refused.node(), refused.why(), now);
      planAt = Math.min(planAt, now + GATHER_NANOS);
    } else if (pipes.bySession(refused.session()) != null) {
      leaveOut(refused.node(), NodePenalties.Fault.WORK, "refused: " + refused.why(), now);
    }
  }

  /**
   * A node failed a step. The first time, and as long as other nodes can replace it, the node is
   * left out and its sequences continue elsewhere. If no other node can, the sequences may be the
   * cause, and they end.
   */
  private void failed(PlannerEvent.Failed failed, long now) {
    String node = failed.node();
    if (pipes.bySession(failed.session()) == null) {
      return; // its pipe is already replaced
    }
    Long until = failedUntil.get(node);
    boolean again = until != null && now - until < 0;
    if (again && !canDoWithout(node, now)) {
      failedUntil.put(node, now + FAILURE_NANOS);
      failed.accept().run();
      return;
    }
    String own = "node " + node + ", "; // the node is named anyway
    String why = failed.why().startsWith(own) ? failed.why().substring(own.length()) : failed.why();
    leaveOut(node, NodePenalties.Fault.WORK, "a step failed: " + why, now);
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
    if (unreached.session() == 0 && unreached.by().isEmpty()) { // a request for layers
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
      leaveOut(
          unreached.node(),
          NodePenalties.Fault.LINK,
          "could not be reached: " + unreached.why(),
          now);
      actions.disconnect(unreached.node(), unreached.why());
    } else if (PipeSet.session(pipe).includes(by)) {
      suspect(unreached.node(), "could not be reached: by " + by + ": " + unreached.why(), now);
    }
  }

  /** Leaves a node out for a while; its pipes are replanned without it. */
  private void leaveOut(String node, NodePenalties.Fault fault, String why, long now) {
    penalties.penalize(node, fault, why, now);
    breakPipesOf(node, why, now);
    plan(now);
  }

  /**
   * Leaves out a node that does not work, and closes its links: what waits to be sent there would
   * wait forever.
   */
  private void suspect(String node, String why, long now) {
    leaveOut(node, NodePenalties.Fault.WORK, why, now);
    actions.disconnect(node, why);
  }

  /**
   * Expels nodes with a wrong result. Their results may be anywhere by now, so all sequences are
   * revoked before a plan changes.
   */
  private void wrongResult(PlannerEvent.WrongResult wrongResult, long now) {
    String why = "of " + String.join(", ", wrongResult.nodes()) + ": " + wrongResult.why();
    actions.revokeAll(why);
    for (String node : wrongResult.nodes()) {
      if (!penalties.isExpelled(node)) {
        penalties.expel(node, wrongResult.why());
        LOG.log(Level.ERROR, "node {0} is expelled: {1}", node, wrongResult.why());
      }
      breakPipesOf(node, wrongResult.why(), now);
      actions.disconnect(node, wrongResult.why());
    }
    plan(now);
  }

  /** Does what is due. */
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
      boolean gone = penalties.isSilentSinceLoss(node); // and not back yet: the same fault
      penalties.penalize(
          node, gone ? NodePenalties.Fault.LINK : NodePenalties.Fault.WORK, why, now);
    }
    awaited.forEach(node -> actions.disconnect(node, why));
    planAt = now;
  }

  private void checkRunning(PipeStateMachine pipe, long now) {
    PipeSession session = PipeSet.session(pipe);
    StepDeadlines.Finding finding = deadlines.check(session, actions.stepsAway(pipe.number()), now);
    switch (finding) {
      case null ->
          session.otherNodes().forEach(node -> penalties.workedFor(node, now - pipe.since()));
      case StepDeadlines.Finding.Ask ask -> pipes.probe(pipe);
      case StepDeadlines.Finding.Late late -> suspect(late.node(), late.why(), now);
    }
  }

  /** Plans as many pipes as possible, without touching busy ones. */
  private void plan(long now) {
    planAt = now + REPLAN_NANOS;
    List<CandidateNode> candidates = candidates(now);
    Placement placement = place(candidates);
    List<PlannedPipe> newPipes = new ArrayList<>(placement.pipes());
    for (PipeStateMachine pipe : pipes.all()) {
      if (pipe.session() != null && !newPipes.remove(pipes.planOf(pipe))) {
        if (isIdle(pipe)) {
          pipes.closeIdle(pipe, now);
        } else {
          pipes.breakPipe(pipe, "a node no longer has its layers", now);
        }
      }
    }
    newPipes.forEach(planned -> pipes.open(planned, now));
    requestLayers(placement, now);
    status.planned(placement, candidates);
    status.refresh(pipes.all(), penalties, nodes, now);
  }

  /** Running pipes stay, but idle ones may be replaced if that gives more pipes. */
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
    int max = pipes.all().size();
    Placement kept = PipePlanner.plan(need, origin, candidates, max, all);
    if (busy.size() == all.size() || all.size() == max) {
      return kept;
    }
    Placement replanned = PipePlanner.plan(need, origin, candidates, max, busy);
    return replanned.pipes().size() > kept.pipes().size() ? replanned : kept;
  }

  private boolean isIdle(PipeStateMachine pipe) {
    return pipe.isRunning() && actions.isIdle(pipe.number());
  }

  private void requestLayers(Placement placement, long now) {
    for (Placement.LayerAssignment request : placement.assignments()) {
      if (nodes.recordRequest(request, now)) {
        int from = request.range().from();
        int to = request.range().to();
        long bytes = 0;
        for (int layer = from; layer < to; layer++) {
          bytes += need.layerBytes().get(layer);
        }
        LoadLayersRequest message =
            new LoadLayersRequest(need.sha256(), need.model(), from, to, need.fileBytes(), bytes);
        actions.send(request.node(), new NodeMessage(Kind.LOAD, 0, WireCodec.encode(message)));
        LOG.log(
            Level.INFO, "node {0} is asked to load layers {1}", request.node(), request.range());
      }
    }
  }

  private void breakPipesOf(String node, String why, long now) {
    for (PipeStateMachine pipe : pipes.ofNode(node)) {
      pipes.breakPipe(pipe, "node " + node + ": " + why, now);
      planAt = Math.min(planAt, now);
    }
  }

  /** Ends all sessions, because the origin stops. */
  public void close(long now) {
    pipes.close(now);
  }
}
