package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a node that does not say what it noted, and of one that cannot. */
@Timeout(60)
final class WithheldRecordsTest {
  private final PipeSession session =
      new PipeSession(
          5,
          0,
          new Pipe(
              1, "origin", 2, List.of(new NodeLayers("origin", 0, 1), new NodeLayers("a", 1, 2))));
  private final BlockingQueue<PlannerEvent> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> verdicts = new LinkedBlockingQueue<>();
  private final OriginCounters figures = new OriginCounters();
  private volatile @Nullable PipeSession runs = session;
  private long passages;

  private final Auditor audit = audit(100);

  private Auditor audit(long patienceMillis) {
    ModelRequirements need = new ModelRequirements("5ha", "m", 1, List.of(1L, 1L), 1, 1);
    ReplayRunner nobody =
        new ReplayRunner(
            need,
            () -> {
              throw new AssertionError("nothing is to be replayed");
            },
            holder -> {
              throw new AssertionError(holder);
            },
            null);
    Auditor.Environment around =
        new Auditor.Environment() {
          @Override
          public @Nullable PipeSession session(int pipe, long epoch) {
            return runs;
          }

          @Override
          public void send(String node, NodeMessage message) {
            sent.add(message.kind() + " " + node);
          }

          @Override
          public void report(PlannerEvent event) {
            events.add(event);
          }
        };
    return new Auditor(nobody, around, figures, patienceMillis);
  }

  @AfterEach
  void close() {
    audit.close();
  }

  private void end() {
    AuditRecording recording = new AuditRecording(0, ++passages, 1);
    recording.left(0, new float[] {1}, 0);
    audit.add(
        new OriginAuditRecorder.EndedSequence(
            recording, 1, 1, why -> verdicts.add(why == null ? "right" : why)));
  }

  @Test
  void aNodeThatTwiceSendsNoRecordsIsExpelled() throws InterruptedException {
    audit.start(recording -> {});
    end();
    assertThat(verdicts.take()).contains("no verdict: node a does not send its records");
    assertThat(events.take()).isInstanceOf(PlannerEvent.Suspect.class);
    end();
    assertThat(verdicts.take()).contains("no verdict");
    assertThat(events.take())
        .isInstanceOfSatisfying(
            PlannerEvent.WrongResult.class,
            wrongResult -> assertThat(wrongResult.nodes()).containsExactly("a"));
    assertThat(figures.auditsIncomplete.sum()).isEqualTo(2);
    assertThat(figures.lies.sum()).isEqualTo(1);
  }

  @Test
  void aLostNodeOrABrokenPipeIsNotReported() throws InterruptedException {
    end();
    assertThat(sent.take()).as("asked before its turn comes").isEqualTo("RECORDS_ASKED a");
    audit.lost("a", "gone");
    audit.start(recording -> {});
    assertThat(verdicts.take()).contains("node a was lost before it sent its records");
    end();
    runs = null;
    assertThat(verdicts.take()).contains("its pipe broke");
    end();
    assertThat(verdicts.take()).contains("its pipe broke before");
    assertThat(events).isEmpty();
    assertThat(figures.auditsIncomplete.sum()).isEqualTo(3);
  }

  @Test
  void noNodeIsAskedForASequenceThatWasDropped() throws InterruptedException {
    end();
    audit.dropped(0, passages);
    runs = null;
    end();
    audit.start(recording -> {});
    assertThat(verdicts.take()).contains("its pipe broke before");
    assertThat(verdicts).isEmpty();
    assertThat(figures.auditsIncomplete.sum()).isEqualTo(1);
  }
}
