package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Assignment;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.Candidate;
import dev.millrace.cluster.place.Placement;
import dev.millrace.cluster.place.PlannedPipe;
import dev.millrace.cluster.place.Planner;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which pipes there are: made from what nodes have, opened, watched, left when a node of them fails,
 * and made anew from what remains. It is told events and the time, and acts through {@link Works};
 * one thread at a time, the planner's.
 */
final class Planning {
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
  private final ModelNeed need;
  private final Works works;
  private final Figures figures;
  private final Deadlines deadlines;
  private final Blame blame = new Blame();
  private final Fleet fleet;
  private final Pipes pipes;
  private final Board board;
  private final Map<String, Long> failedUntil = new HashMap<>(); // while that is the last failure
  private long planAt = Long.MAX_VALUE; // nothing is known yet
  private long lastTick;

  /**
   * @param ids draws the numbers of sessions, never 0
   */
  Planning(
      String origin,
      ModelNeed need,
      Terms terms,
      int maxPipes,
      long stepNanos,
      Fleet fleet,
      Works works,
      Figures figures,
      LongSupplier ids) {
    this.origin = origin;
    this.need = need;
    this.works = works;
    this.figures = figures;
    this.fleet = fleet;
    this.deadlines = new Deadlines(stepNanos, ANSWER_NANOS);
    board = new Board(origin, need, works, figures);
    pipes = new Pipes(maxPipes, origin, need, terms, works, figures, board, ids);
  }

  /** What is known to others of all this; for any thread. */
  Board board() {
    return board;
  }

  void handle(Event event, long now) {
    switch (event) {
      case Event.States states -> states(states, now);
      case Event.Lost lost -> lost(lost.node(), lost.why(), now);
      case Event.Opened opened -> {
        if (pipes.opened(opened.node(), opened.session(), now)) {
          board.refresh(pipes.all(), blame, fleet, now);
        }
      }
      case Event.Refused refused -> refused(refused, now);
      case Event.Unreached unreached -> unreached(unreached, now);
      case Event.Probed probed -> {
        PipeControl pipe = pipes.bySession(probed.session());
        if (pipe != null) {
          deadlines.probed(Pipes.session(pipe), probed.node(), probed.stretches());
        }
      }
      case Event.Failed failed -> failed(failed, now);
      case Event.Doubtful doubtful -> doubt(doubtful.node(), doubtful.why(), now);
      case Event.Lied lied -> lied(lied, now);
    }
  }

  private void states(Event.States event, long now) {
    Fleet.Change change = fleet.update(event.states(), node -> pipes.sessionsAt(node) > 0, now);
    change.renewed().forEach(blame::seen);
    change.arrived().forEach(blame::seenAgain);
    for (String node : change.restarted()) {
      blame.seenAgain(node);
      breakPipesOf(node, "it was started anew", now);
    }
    board.news();
    planAt = Math.min(planAt, now + GATHER_NANOS);
  }

  private void lost(String node, String why, long now) {
    if (fleet.has(node) || pipes.sessionsAt(node) > 0) {
      figures.lost.increment();
      leave(node, Blame.Fault.LINK, "the link is lost: " + why, now);
    }
    fleet.drop(node);
  }

  private void refused(Event.Refused refused, long now) {
    if (refused.session() == 0) { // layers that it was asked to hold
      fleet.refused(refused.node(), refused.why(), now);
      planAt = Math.min(planAt, now + GATHER_NANOS);
    } else if (pipes.bySession(refused.session()) != null) {
      leave(refused.node(), Blame.Fault.WORK, "refused: " + refused.why(), now);
    }
  }

  /**
   * The first time the node is to blame, and as long as others can do its work: its sequences go
   * there and lose nothing. Where there is nobody else, it may be the sequences, and they end.
   */
  private void failed(Event.Failed failed, long now) {
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
    leave(node, Blame.Fault.WORK, "a step failed: " + why, now);
    failedUntil.put(node, blame.until(node, now) + FAILURE_NANOS);
  }

  private boolean canDoWithout(String node, long now) {
    List<Candidate> others = candidates(now);
    others.removeIf(candidate -> candidate.node().equals(node));
    return !Planner.plan(need, origin, others, 1, List.of()).pipes().isEmpty();
  }

  private List<Candidate> candidates(long now) {
    return fleet.candidates(node -> blame.whyLeft(node, now) == null, pipes::sessionsAt, now);
  }

  private void unreached(Event.Unreached unreached, long now) {
    if (unreached.session() == 0 && unreached.by().isEmpty()) { // was to be asked for layers
      fleet.refused(unreached.node(), "it could not be reached: " + unreached.why(), now);
      planAt = Math.min(planAt, now + GATHER_NANOS);
      return;
    }
    PipeControl pipe = pipes.bySession(unreached.session());
    if (pipe == null || !Pipes.session(pipe).has(unreached.node())) {
      return;
    }
    String by = unreached.by();
    if (by.isEmpty()) {
      leave(unreached.node(), Blame.Fault.LINK, "could not be reached: " + unreached.why(), now);
      works.hangUp(unreached.node(), unreached.why());
    } else if (Pipes.session(pipe).has(by)) {
      doubt(unreached.node(), "could not be reached: by " + by + ": " + unreached.why(), now);
    }
  }

  /** Leaves a node out for a while; pipes that it is in are made anew without it. */
  private void leave(String node, Blame.Fault fault, String why, long now) {
    blame.leave(node, fault, why, now);
    breakPipesOf(node, why, now);
    plan(now);
  }

  /** Leaves a node that does not do its work; what waits to be sent there would wait for ever. */
  private void doubt(String node, String why, long now) {
    leave(node, Blame.Fault.WORK, why, now);
    works.hangUp(node, why);
  }

  /** What came through a liar may be anywhere by now: before any plan changes, all of it goes. */
  private void lied(Event.Lied lied, long now) {
    String why = "of " + String.join(", ", lied.nodes()) + ": " + lied.why();
    works.revokeAll(why);
    for (String node : lied.nodes()) {
      if (!blame.isExpelled(node)) {
        blame.expel(node, lied.why());
        LOG.log(Level.ERROR, "node {0} is expelled: {1}", node, lied.why());
      }
      breakPipesOf(node, lied.why(), now);
      works.hangUp(node, lied.why());
    }
    plan(now);
  }

  /** Does what is due by now. */
  void tick(long now) {
    for (String node : fleet.absentFor(ABSENT_NANOS, now)) {
      breakPipesOf(node, "it left the network", now);
      fleet.drop(node);
      planAt = now;
    }
    for (PipeControl pipe : pipes.all()) {
      switch (pipe.state()) {
        case NONE -> {}
        case OPENING -> checkOpening(pipe, now);
        case RUNNING -> checkRunning(pipe, now);
      }
    }
    if (now - planAt >= 0 || blame.anyBack(lastTick, now)) {
      plan(now);
    }
    lastTick = now;
    board.refresh(pipes.all(), blame, fleet, now);
  }

  private void checkOpening(PipeControl pipe, long now) {
    if (now - pipe.since() < OPENING_NANOS) {
      return;
    }
    String why = "did not open in %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(OPENING_NANOS));
    List<String> awaited = pipe.awaited();
    pipes.breakUp(pipe, String.join(", ", awaited) + " " + why, now);
    for (String node : awaited) {
      boolean gone = blame.isUnseen(node); // and not back: that is no other fault
      blame.leave(node, gone ? Blame.Fault.LINK : Blame.Fault.WORK, why, now);
    }
    awaited.forEach(node -> works.hangUp(node, why));
    planAt = now;
  }

  private void checkRunning(PipeControl pipe, long now) {
    Session session = Pipes.session(pipe);
    Deadlines.Finding finding = deadlines.check(session, works.away(pipe.number()), now);
    switch (finding) {
      case null -> session.others().forEach(node -> blame.worked(node, now - pipe.since()));
      case Deadlines.Finding.Ask ask -> pipes.probe(pipe);
      case Deadlines.Finding.Late late -> doubt(late.node(), late.why(), now);
    }
  }

  /** Makes of what there is as many pipes as can run, without touching those that do. */
  private void plan(long now) {
    planAt = now + AGAIN_NANOS;
    List<Candidate> candidates = candidates(now);
    Placement placement = place(candidates);
    List<PlannedPipe> fresh = new ArrayList<>(placement.pipes());
    for (PipeControl pipe : pipes.all()) {
      if (pipe.session() != null && !fresh.remove(pipes.planOf(pipe))) {
        if (isIdle(pipe)) {
          pipes.giveWay(pipe, now);
        } else {
          pipes.breakUp(pipe, "a node has its layers no more", now);
        }
      }
    }
    fresh.forEach(planned -> pipes.open(planned, now));
    wish(placement, now);
    board.placed(placement, candidates);
    board.refresh(pipes.all(), blame, fleet, now);
  }

  /** Pipes that run stay as they are; but idle ones give way where there can be more pipes. */
  private Placement place(List<Candidate> candidates) {
    List<PlannedPipe> all = new ArrayList<>();
    List<PlannedPipe> busy = new ArrayList<>();
    for (PipeControl pipe : pipes.all()) {
      if (pipe.session() != null) {
        all.add(pipes.planOf(pipe));
        if (!isIdle(pipe)) {
          busy.add(pipes.planOf(pipe));
        }
      }
    }
    int most = pipes.all().size();
    Placement kept = Planner.plan(need, origin, candidates, most, all);
    if (busy.size() == all.size() || all.size() == most) {
      return kept;
    }
    Placement anew = Planner.plan(need, origin, candidates, most, busy);
    return anew.pipes().size() > kept.pipes().size() ? anew : kept;
  }

  private boolean isIdle(PipeControl pipe) {
    return pipe.isRunning() && works.idle(pipe.number());
  }

  private void wish(Placement placement, long now) {
    for (Placement.Wish wish : placement.assignments()) {
      if (fleet.wish(wish, now)) {
        int from = wish.range().from();
        int to = wish.range().to();
        long bytes = 0;
        for (int layer = from; layer < to; layer++) {
          bytes += need.layerBytes().get(layer);
        }
        Assignment assignment =
            new Assignment(need.sha256(), need.model(), from, to, need.fileBytes(), bytes);
        works.send(wish.node(), new Message(Kind.LOAD, 0, Codec.encode(assignment)));
        LOG.log(Level.INFO, "node {0} is asked to hold layers {1}", wish.node(), wish.range());
      }
    }
  }

  private void breakPipesOf(String node, String why, long now) {
    for (PipeControl pipe : pipes.of(node)) {
      pipes.breakUp(pipe, "node " + node + ": " + why, now);
      planAt = Math.min(planAt, now);
    }
  }

  /** Ends all sessions: the origin goes. */
  void close(long now) {
    pipes.close(now);
  }
}
