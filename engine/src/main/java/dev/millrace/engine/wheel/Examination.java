package dev.millrace.engine.wheel;

import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the examiner, if there is one, what becomes of the sequences that it has chosen, and keeps
 * those that have all their tokens and wait for its verdict. These have no pages and no slot.
 */
final class Examination {
  private final @Nullable Examiner examiner;
  private final Consumer<Runnable> later;
  private final List<Held> held = new ArrayList<>();

  /** One that waits for the verdict, with the place that it had and how it would end. */
  private record Held(Sequence sequence, Admission place, long epoch, Finish finish) {}

  /** What follows a verdict: the sequence ends so, for that reason. */
  interface Judged {
    void end(Sequence sequence, Finish finish, String reason);
  }

  /**
   * @param later runs something on the wheels' thread; for any thread
   */
  Examination(@Nullable Examiner examiner, Consumer<Runnable> later) {
    this.examiner = examiner;
    this.later = later;
  }

  void choose(Sequence sequence) {
    // nodes note all of them alike: one that knew which are looked at could lie about the others
    sequence.recorded = examiner != null;
    sequence.examined = examiner != null && examiner.chosen(sequence.arrival);
  }

  int heldCount() {
    return held.size();
  }

  /** Those that wait for their verdict. */
  List<Sequence> held() {
    return held.stream().map(Held::sequence).toList();
  }

  /** The group is with another node now. */
  void left(int pipe, Group group) {
    if (examiner != null) {
      rows(pipe, group, examiner::left);
    }
  }

  /** The group's hidden states are those that came back. */
  void cameBack(int pipe, Group group) {
    if (examiner != null) {
      rows(pipe, group, examiner::cameBack);
    }
  }

  private interface Sight {
    void of(int pipe, long passage, int position, float[] hidden, int offset);
  }

  private static void rows(int pipe, Group group, Sight sight) {
    Batch batch = group.batch;
    for (int row = 0; row < batch.rows; row++) {
      Sequence sequence = (Sequence) group.traveller(batch.runOf[row]);
      if (sequence.examined) {
        long passage = sequence.passage();
        sight.of(pipe, passage, batch.position[row], batch.hidden, row * batch.width);
      }
    }
  }

  /** A sequence gave its place up before it was complete. */
  void dropped(int pipe, Sequence sequence) {
    if (examiner != null && sequence.examined) {
      examiner.dropped(pipe, sequence.passage());
    }
  }

  /** Holds the end of a sequence that has left its place, until the verdict. */
  void hold(Sequence sequence, Admission place, int positions, Finish finish, Judged judged) {
    if (examiner == null) {
      throw new IllegalStateException("nobody would judge sequence " + sequence.arrival);
    }
    Held waiting = new Held(sequence, place, place.epoch(), finish);
    held.add(waiting);
    examiner.ended(
        place.pipe(),
        waiting.epoch(),
        sequence.passage(),
        positions,
        reason -> later.accept(() -> judge(waiting, reason, judged)));
  }

  private void judge(Held waiting, @Nullable String reason, Judged judged) {
    if (held.remove(waiting)) { // else it was cancelled meanwhile, or judged before
      waiting.place().forget(waiting.sequence(), waiting.epoch());
      boolean right = reason == null;
      judged.end(
          waiting.sequence(), right ? waiting.finish() : Finish.REVOKED, right ? "" : reason);
    }
  }

  /** The sequence ends without a verdict, if it waits for one; says whether it did. */
  boolean letGo(Sequence sequence) {
    for (int i = 0; i < held.size(); i++) {
      Held waiting = held.get(i);
      if (waiting.sequence() == sequence) {
        held.remove(i);
        waiting.place().forget(sequence, waiting.epoch());
        dropped(waiting.place().pipe(), sequence);
        return true;
      }
    }
    return false;
  }
}
