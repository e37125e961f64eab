package dev.millrace.cluster.internal.plan;

import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the node that holds a step too long. When a step is overdue, all nodes of its pipe are
 * asked which steps each of their stretches received and sent on. The first stretch in the order of
 * the plan that did not send the step on, did not receive it, or gives no answer names the node to
 * leave out. Times are nanoseconds of the batch loop's clock. One thread at a time.
 */
final class StepDeadlines {
  /** What the planner has to do. */
  sealed interface Finding {
    /** Ask all nodes of the pipe. */
    record Ask() implements Finding {}

    /** Leave this node out. */
    record Late(String node, String why) implements Finding {}
  }

  private static final class Inquiry {
    private final long session;
    private final long group;
    private final long asked;
    private final Map<String, List<PlannerEvent.StretchProgress>> answers = new HashMap<>();

    Inquiry(long session, long group, long asked) {
      this.session = session;
      this.group = group;
      this.asked = asked;
    }
  }

  private final long stepNanos;
  private final long answerNanos;
  private final Map<Integer, Inquiry> inquiries = new HashMap<>(); // by the pipe's number

  StepDeadlines(long stepNanos, long answerNanos) {
    this.stepNanos = stepNanos;
    this.answerNanos = answerNanos;
  }

  /** Checks a running pipe; null: nothing to do. */
  @Nullable Finding check(PipeSession session, List<InFlightGroup> away, long now) {
    Inquiry inquiry = inquiries.get(session.pipe());
    if (inquiry != null && inquiry.session == session.id() && isAway(inquiry.group, away)) {
      Finding finding = decide(inquiry, session.remoteStretches(), now);
      if (finding != null) {
        inquiries.remove(session.pipe());
      }
      return finding;
    }
    inquiries.remove(session.pipe());
    InFlightGroup oldest = null;
    for (InFlightGroup one : away) {
      boolean ours = one.epoch() == session.plan().epoch();
      if (ours && (oldest == null || one.sinceNanos() - oldest.sinceNanos() < 0)) {
        oldest = one;
      }
    }
    if (oldest == null || now - oldest.sinceNanos() < stepNanos) {
      return null;
    }
    inquiries.put(session.pipe(), new Inquiry(session.id(), oldest.group(), now));
    return new Finding.Ask();
  }

  /** A node answered a probe. */
  void probed(PipeSession session, String node, List<PlannerEvent.StretchProgress> stretches) {
    Inquiry inquiry = inquiries.get(session.pipe());
    if (inquiry != null && inquiry.session == session.id()) {
      inquiry.answers.put(node, stretches);
    }
  }

  private static boolean isAway(long group, List<InFlightGroup> away) {
    return away.stream().anyMatch(one -> one.group() == group);
  }

  private Finding.@Nullable Late decide(Inquiry inquiry, List<NodeLayers> stretches, long now) {
    boolean timeIsUp = now - inquiry.asked >= answerNanos;
    Map<String, Integer> seen = new HashMap<>(); // stretches of each node so far
    for (NodeLayers stretch : stretches) {
      String node = stretch.node();
      List<PlannerEvent.StretchProgress> answer = inquiry.answers.get(node);
      int nth = seen.merge(node, 1, Integer::sum);
      if (answer == null || answer.size() < nth) {
        return timeIsUp ? late(node, "does not say where an overdue step is") : null;
      }
      PlannerEvent.StretchProgress progress = answer.get(nth - 1);
      if (progress.received() < inquiry.group) {
        return timeIsUp ? late(node, "did not receive a step that was sent to it") : null;
      }
      if (progress.passed() < inquiry.group) {
        return late(node, "has held a step for more than %d ms".formatted(millis(stepNanos)));
      }
    }
    // All sent it on. It may still be in flight; if not, the last node did not do what it says.
    String last = stretches.getLast().node();
    return timeIsUp ? late(last, "says that it sent a step which did not arrive") : null;
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  private static Finding.Late late(String node, String why) {
    return new Finding.Late(node, why);
  }
}
