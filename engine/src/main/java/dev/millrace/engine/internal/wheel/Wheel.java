package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.wheel.WheelCounters.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One pipe's part of the {@link BatchLoop}: its pages, the sequences that are in, and the groups of
 * them that fly. It belongs to the wheels' thread, but for what says otherwise.
 */
final class Wheel {
  private final BatchLoop.Shared shared;
  private final int pipe;
  private final PipeProcessor processor;
  private final WheelCounters counters = new WheelCounters();
  private final PageAllocator ledger;
  private final PipeAdmission admission;
  private final BatchPlanner plan;
  private final StepResultHandler harvest;
  private final List<SequenceGroup> idle = new ArrayList<>();
  private final List<Flight> flights = new CopyOnWriteArrayList<>(); // few, and others look
  private long turns;

  /** A group that is with other nodes. */
  private record Flight(SequenceGroup group, BatchLoop.InFlightGroup away) {}

  Wheel(BatchLoop.Shared shared, int pipe, PipeProcessor processor) {
    this.shared = shared;
    this.pipe = pipe;
    this.processor = processor;
    WheelSettings settings = shared.settings();
    ledger = new PageAllocator(settings.pages(), settings.prefixReuse());
    admission = new PipeAdmission(shared, pipe, processor, ledger, counters);
    plan = new BatchPlanner(settings, admission, counters);
    harvest = new StepResultHandler(shared, processor, admission, ledger);
  }

  WheelCounters counters() {
    return counters;
  }

  PipeAdmission admission() {
    return admission;
  }

  /** The groups that are with other nodes, the oldest first. For any thread. */
  List<BatchLoop.InFlightGroup> inFlight() {
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
    SequenceGroup group = idle.getLast();
    group.open(++turns);
    plan.fill(group, most);
    if (group.size() == 0) {
      return false;
    }
    counters.add(Counter.TURNS, 1);
    idle.removeLast();
    processor.start(group);
    settle(group);
    return true;
  }

  private SequenceGroup newGroup() {
    WheelSettings settings = shared.settings();
    return new SequenceGroup(processor.end().width(), settings.maxRows(), settings.maxSequences());
  }

  /**
   * A frame came. One of another plan, or of a group that is back already, is as if it never came.
   */
  void receive(Frame frame) {
    for (int i = 0; i < flights.size(); i++) {
      SequenceGroup group = flights.get(i).group();
      boolean answers = frame.kind() != Frame.Kind.FORGET && frame.epoch() == processor.epoch();
      if (answers && group.id() == frame.group()) {
        flights.remove(i);
        if (processor.receiveReturned(group, frame)) {
          shared.auditTracker().groupReturned(pipe, group);
          processor.resume(group);
        }
        settle(group);
        return;
      }
    }
    processor.countStrayFrame();
  }

  /** After a batch went as far as it can: tokens are chosen, or it is with another node. */
  private void settle(SequenceGroup group) {
    boolean gone = group.isHandedOff();
    setAway(group, gone);
    if (gone) {
      long now = shared.clock().getAsLong();
      flights.add(
          new Flight(group, new BatchLoop.InFlightGroup(group.id(), processor.epoch(), now)));
      shared.auditTracker().groupSent(pipe, group);
    } else {
      harvest.handle(group);
      rest(group);
    }
  }

  private static void setAway(SequenceGroup group, boolean gone) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.sequence(run);
      sequence.inFlight = gone;
      sequence.sent |= gone;
    }
  }

  private void rest(SequenceGroup group) {
    group.open(0);
    idle.add(group);
  }

  /**
   * Goes by another plan, or none. What is with other nodes is given up, all sequences go back to
   * the line, and no page holds what it held: other nodes may have other pages.
   */
  void setPlan(@Nullable Pipe next, String why) {
    abandon(SequenceCondition.PIPE_MISSING, why);
    processor.setPlan(null); // so that nobody is told to forget: what they keep goes with the plan
    admission.requeueAll(why);
    ledger.dropCached();
    processor.setPlan(next);
  }

  /** Gives up what is with other nodes, and what nodes computed for nobody in particular. */
  void abandon(SequenceCondition condition, String why) {
    admission.clearFollowers();
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
    counters.set(Counter.ADMITTED, admission.admitted().size());
    counters.set(Counter.PAGES_USED, ledger.used());
    counters.set(Counter.PAGES_CACHED, ledger.cached());
    counters.set(Counter.PAGES_FREE, ledger.free());
  }
}
