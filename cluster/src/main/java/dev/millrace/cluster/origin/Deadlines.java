package dev.millrace.cluster.origin;

import dev.millrace.engine.wheel.Wheels.Away;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the node that keeps a step too long. When one is overdue, all nodes of its pipe are asked
 * which steps they got and passed on; the first in the order of the plan that has it and did not
 * pass it on, did not get it, or does not answer, is to be left. Times are nanoseconds of the
 * wheels' clock. One thread at a time.
 */
final class Deadlines {
  /** What follows from what was found. */
  sealed interface Finding {
    /** All nodes of the pipe are to be asked. */
    record Ask() implements Finding {}

    /** That node is to be left. */
    record Late(String node, String why) implements Finding {}
  }

  private record Answer(long received, long passed) {}

  private static final class Inquiry {
    private final long session;
    private final long group;
    private final long asked;
    private final Map<String, Answer> answers = new HashMap<>();

    Inquiry(long session, long group, long asked) {
      this.session = session;
      this.group = group;
      this.asked = asked;
    }
  }

  private final long stepNanos;
  private final long answerNanos;
  private final Map<Integer, Inquiry> inquiries = new HashMap<>(); // by the pipe's number

  Deadlines(long stepNanos, long answerNanos) {
    this.stepNanos = stepNanos;
    this.answerNanos = answerNanos;
  }

  /** Looks after a pipe that runs; null where nothing follows. */
  @Nullable Finding check(Session session, List<Away> away, long now) {
    Inquiry inquiry = inquiries.get(session.pipe());
    if (inquiry != null && inquiry.session == session.id() && isAway(inquiry.group, away)) {
      Finding finding = decide(inquiry, session.others(), now);
      if (finding != null) {
        inquiries.remove(session.pipe());
      }
      return finding;
    }
    inquiries.remove(session.pipe());
    Away oldest = null;
    for (Away one : away) {
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

  /** A node answered what it last got and passed on. */
  void probed(Session session, String node, long received, long passed) {
    Inquiry inquiry = inquiries.get(session.pipe());
    if (inquiry != null && inquiry.session == session.id()) {
      inquiry.answers.put(node, new Answer(received, passed));
    }
  }

  private static boolean isAway(long group, List<Away> away) {
    return away.stream().anyMatch(one -> one.group() == group);
  }

  private Finding.@Nullable Late decide(Inquiry inquiry, List<String> nodes, long now) {
    boolean timeIsUp = now - inquiry.asked >= answerNanos;
    for (String node : nodes) {
      Answer answer = inquiry.answers.get(node);
      if (answer == null) {
        return timeIsUp ? late(node, "does not say where an overdue step is") : null;
      }
      if (answer.received >= inquiry.group && answer.passed < inquiry.group) {
        return late(node, "has kept a step for more than %d ms".formatted(millis(stepNanos)));
      }
      if (answer.received < inquiry.group) {
        return timeIsUp ? late(node, "did not get a step that was passed on to it") : null;
      }
    }
    // All have passed it on. It may be on its way; if not, the last one did not do what it says.
    return timeIsUp ? late(nodes.getLast(), "says it passed a step on that did not come") : null;
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  private static Finding.Late late(String node, String why) {
    return new Finding.Late(node, why);
  }
}
