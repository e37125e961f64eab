package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Group;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.wheel.Counters.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One pipe's part of the {@link Wheels}: its pages, the sequences that are in, and the groups of
 * them that fly. It belongs to the wheels' thread, but for what says otherwise.
 */
final class Wheel {
  private final Wheels.Shared shared;
  private final int pipe;
  private final PipeProcessor processor;
  private final Counters counters = new Counters();
  private final PageLedger ledger;
  private final Admission admission;
  private final TurnPlan plan;
  private final Harvest harvest;
  private final List<Group> idle = new ArrayList<>();
  private final List<Flight> flights = new CopyOnWriteArrayList<>(); // few, and others look
  private long turns;

  /** A group that is with other nodes. */
  private record Flight(Group group, Wheels.Away away) {}

  Wheel(Wheels.Shared shared, int pipe, PipeProcessor processor) {
    this.shared = shared;
    this.pipe = pipe;
    this.processor = processor;
    WheelSettings settings = shared.settings();
    ledger = new PageLedger(settings.pages(), settings.prefixReuse());
    admission = new Admission(shared, pipe, processor, ledger, counters);
    plan = new TurnPlan(settings, admission, counters);
    harvest = new Harvest(shared, processor, admission, ledger);
  }

  Counters counters() {
    return counters;
  }

  Admission admission() {
    return admission;
  }

  /** The groups that are with other nodes, the oldest first. For any thread. */
  List<Wheels.Away> away() {
    return flights.stream().map(Flight::away).toList();
  }

  /** Runs a batch, if there is something to run and a group may fly; says whether it did. */
  boolean turn() {
    int most = Math.clamp(processor.stages(), 1, shared.settings().groups());
    if (flights.size() >= most) {
      return false;
    }
    if (idle.isEmpty()) {
      idle.add(newGroup());
    }
    Group group = idle.getLast();
    group.open(++turns);
    plan.fill(group, most);
    if (group.size() == 0) {
      return false;
    }
    counters.add(Figure.TURNS, 1);
    idle.removeLast();
    processor.start(group);
    settle(group);
    return true;
  }

  private Group newGroup() {
    WheelSettings settings = shared.settings();
    return new Group(processor.end().width(), settings.maxRows(), settings.maxSequences());
  }

  /**
   * A frame came. One of another plan, or of a group that is back already, is as if it never came.
   */
  void arrived(Frame frame) {
    for (int i = 0; i < flights.size(); i++) {
      Group group = flights.get(i).group();
      boolean answers = frame.kind() != Frame.Kind.FORGET && frame.epoch() == processor.epoch();
      if (answers && group.id() == frame.group()) {
        flights.remove(i);
        if (processor.takeBack(group, frame)) {
          shared.examination().cameBack(pipe, group);
          processor.resume(group);
        }
        settle(group);
        return;
      }
    }
    processor.stray();
  }

  /** After a batch went as far as it can: tokens are chosen, or it is with another node. */
  private void settle(Group group) {
    boolean gone = group.isAway();
    setAway(group, gone);
    if (gone) {
      long now = shared.clock().getAsLong();
      flights.add(new Flight(group, new Wheels.Away(group.id(), processor.epoch(), now)));
      shared.examination().left(pipe, group);
    } else {
      harvest.take(group);
      rest(group);
    }
  }

  private static void setAway(Group group, boolean gone) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.traveller(run);
      sequence.away = gone;
      sequence.sent |= gone;
    }
  }

  private void rest(Group group) {
    group.open(0);
    idle.add(group);
  }

  /**
   * Goes by another plan, or none. What is with other nodes is given up, all sequences go back to
   * the line, and no page holds what it held: other nodes may have other pages.
   */
  void plan(@Nullable Pipe next, String why) {
    abandon(Condition.PIPE_MISSING, why);
    processor.plan(null); // so that nobody is told to forget: what they keep goes with the plan
    admission.giveAllBack(why);
    ledger.dropCached();
    processor.plan(next);
  }

  /** Gives up what is with other nodes, and what nodes computed for nobody in particular. */
  void abandon(Condition condition, String why) {
    admission.disband();
    for (Flight flight : flights) {
      processor.abandon(flight.group(), condition, why);
      setAway(flight.group(), false);
      rest(flight.group());
    }
    flights.clear();
  }

  /** Nothing that is cached is trusted any more. */
  void dropCached() {
    ledger.dropCached();
  }

  void publish() {
    counters.set(Figure.ADMITTED, admission.admitted().size());
    counters.set(Figure.PAGES_USED, ledger.used());
    counters.set(Figure.PAGES_CACHED, ledger.cached());
    counters.set(Figure.PAGES_FREE, ledger.free());
  }
}
