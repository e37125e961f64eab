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
 * The scheduler of the batch for one pipe, a part of the {@link BatchLoop}: its pages, its admitted
 * sequences, and their groups in flight. It belongs to the scheduler's thread, unless a method says
 * otherwise.
 */
final class Wheel {
  private final BatchLoop.Shared shared;
  private final int pipe;
  private final PipeProcessor processor;
  private final WheelCounters counters = new WheelCounters();
  private final PageAllocator allocator;
  private final PipeAdmission admission;
  private final BatchPlanner plan;
  private final StepResultHandler resultHandler;
  private final List<SequenceGroup> idle = new ArrayList<>();
  private final List<Flight> flights =
      new CopyOnWriteArrayList<>(); // few, and other threads read them
  private long turns;

  /** A group at other nodes. */
  private record Flight(SequenceGroup group, BatchLoop.InFlightGroup away) {}

  Wheel(BatchLoop.Shared shared, int pipe, PipeProcessor processor) {
    this.shared = shared;
    this.pipe = pipe;
    this.processor = processor;
    WheelSettings settings = shared.settings();
    allocator = new PageAllocator(settings.pages(), settings.prefixReuse());
    admission = new PipeAdmission(shared, pipe, processor, allocator, counters);
    plan = new BatchPlanner(settings, admission, counters);
    resultHandler = new StepResultHandler(shared, processor, admission, allocator);
  }

  WheelCounters counters() {
    return counters;
  }

  PipeAdmission admission() {
    return admission;
  }

  /** The groups at other nodes, the oldest first. For any thread. */
  List<BatchLoop.InFlightGroup> inFlight() {
    return flights.stream().map(Flight::away).toList();
  }

  /**
   * Runs a batch, if there is something to run and a group may be in flight; returns whether it
   * did.
   */
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

  /** Handles a frame. Frames of another plan, or of a group that is back already, are ignored. */
  void receive(Frame frame) {
    for (int i = 0; i < flights.size(); i++) {
      SequenceGroup group = flights.get(i).group();
      boolean answers = frame.kind() != Frame.Kind.FORGET && frame.epoch() == processor.epoch();
      if (answers && group.id() == frame.group()) {
        flights.remove(i);
        setBack(group);
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

  /** Handles a batch that went as far as it can: tokens are chosen, or it is at another node. */
  private void settle(SequenceGroup group) {
    if (group.isHandedOff()) {
      setAway(group);
      long now = shared.clock().getAsLong();
      flights.add(
          new Flight(group, new BatchLoop.InFlightGroup(group.id(), processor.epoch(), now)));
      shared.auditTracker().groupSent(pipe, group);
    } else {
      resultHandler.handle(group);
      rest(group);
    }
  }

  private static void setAway(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      Sequence sequence = (Sequence) group.sequence(run);
      sequence.inFlight.sent();
      sequence.sent = true;
    }
  }

  private static void setBack(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      ((Sequence) group.sequence(run)).inFlight.returned();
    }
  }

  private void rest(SequenceGroup group) {
    group.open(0);
    idle.add(group);
  }

  /**
   * Sets another plan, or none. Groups at other nodes are given up, all sequences return to the
   * queue, and the content of all pages is dropped: other nodes have their own pages.
   */
  void setPlan(@Nullable Pipe next, String why) {
    abandon(SequenceCondition.PIPE_MISSING, why);
    processor.setPlan(null); // no node needs a message to forget: it drops its data with the plan
    admission.requeueAll(why);
    allocator.dropCached();
    processor.setPlan(next);
  }

  /** Gives up the groups at other nodes, and their results. */
  void abandon(SequenceCondition condition, String why) {
    admission.clearFollowers();
    for (Flight flight : flights) {
      processor.abandon(flight.group(), condition, why);
      setBack(flight.group());
      rest(flight.group());
    }
    flights.clear();
  }

  /** Drops all cached pages. */
  void dropCached() {
    allocator.dropCached();
  }

  /** Whether no page is in use or cached. */
  boolean isUntouched() {
    return allocator.free() == allocator.total();
  }

  void publish() {
    counters.set(Counter.ADMITTED, admission.admitted().size());
    counters.set(Counter.PAGES_USED, allocator.used());
    counters.set(Counter.PAGES_CACHED, allocator.cached());
    counters.set(Counter.PAGES_FREE, allocator.free());
  }
}
