package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an audit hook receives, and what its verdict does. */
@Timeout(60)
class AuditHookTest implements AuditHook {
  private static final int WIDTH = WheelHarness.MODEL.end().width();
  private static final Pipe PLAN =
      new Pipe(
          7,
          "o",
          4,
          List.of(
              new Pipe.NodeLayers("o", 0, 1),
              new Pipe.NodeLayers("a", 1, 3),
              new Pipe.NodeLayers("b", 3, 4)));

  private final FakeNetwork net = new FakeNetwork(2);
  private final PipeProcessor a = node("a", 1, 3);
  private final PipeProcessor b = node("b", 3, 4);
  private final BatchLoop wheels;
  private final Random random = new Random(8);
  private final TreeMap<Integer, byte[]> left = new TreeMap<>();
  private final TreeMap<Integer, byte[]> back = new TreeMap<>();
  private final List<Consumer<@Nullable String>> verdicts = new ArrayList<>();
  private int dropped;
  private int positions;
  private long passage;
  private boolean auditing = true;
  private int came; // frames
  private IntFunction<UnaryOperator<ByteBuffer>> liar = number -> frame -> frame;

  AuditHookTest() {
    var origin =
        new PipeProcessor(
            "o", List.of(WheelHarness.MODEL.segment(64, 0, 1)), WheelHarness.MODEL.end(), net);
    origin.setPlan(PLAN);
    WheelSettings settings = WheelHarness.SETTINGS.withRows(32, 32).withGroups(3);
    wheels =
        new BatchLoop(
            settings,
            List.of(origin),
            WheelHarness.vocabulary(),
            shown -> WheelHarness.detokenizer(),
            () -> 0,
            this);
    net.join("o", frame -> wheels.receive(0, liar.apply(++came).apply(frame)));
  }

  private PipeProcessor node(String name, int from, int to) {
    var node =
        new PipeProcessor(name, List.of(WheelHarness.MODEL.segment(64, from, to)), null, net);
    node.setPlan(PLAN);
    net.join(name, node::receive);
    return node;
  }

  private RecordingListener run(GenerationRequest request) {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheels.submit(request, recorded);
    turnAll();
    return recorded;
  }

  private void turnAll() {
    while (wheels.turn() || net.step()) {
      wheels.check();
    }
  }

  private GenerationRequest request() {
    return GenerationRequest.of(WheelHarness.prompt(random, 80), WheelHarness.warm(3), 20)
        .ignoringEnd();
  }

  @Test
  void theEndAndTheRecordsOfNodesAreHeldUntilTheVerdict() {
    GenerationRequest request = request();
    RecordingListener recorded = run(request);
    assertThat(recorded.tokens).hasSize(20);
    assertThat(recorded.generation.isDone()).isFalse();
    assertThat(positions).isEqualTo(99);
    assertThat(wheels.stats().pagesUsed()).as("others may have its pages").isZero();
    assertThat(wheels.stats().admitted()).as("it is not over").isEqualTo(1);
    transportsAgree();
    verdicts.getFirst().accept(null);
    verdicts.getFirst().accept("too late");
    turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(recorded.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
    assertThat(a.passageCount() + b.passageCount()).isZero();
    assertThat(a.rowHashes(passage)).isEmpty();
    assertThat(dropped).isZero();
  }

  private void transportsAgree() {
    List<RowHashRecorder.RowHashes> first = a.rowHashes(passage);
    List<RowHashRecorder.RowHashes> second = b.rowHashes(passage);
    assertThat(left.keySet()).hasSize(99).isEqualTo(back.keySet());
    assertThat(first).hasSize(99);
    assertThat(second).hasSize(99);
    for (int p = 0; p < 99; p++) {
      assertThat(first.get(p).position()).isEqualTo(p);
      assertThat(first.get(p).in()).isEqualTo(left.get(p));
      assertThat(first.get(p).out()).isEqualTo(second.get(p).in()).isNotEqualTo(left.get(p));
      assertThat(second.get(p).out()).isEqualTo(back.get(p));
    }
  }

  @Test
  void aBadVerdictRevokes() {
    RecordingListener recorded = run(request());
    verdicts.getFirst().accept("node b computed something else at position 3");
    turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(recorded.result().reason()).startsWith("node b computed something else");
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void withAnAuditHookNoPagesAreSharedSoThatNodesCannotTellAuditedSequences() {
    auditing = false;
    GenerationRequest request = request();
    run(request);
    auditing = true;
    RecordingListener audited = new RecordingListener();
    audited.generation = wheels.submit(request, audited);
    wheels.turn();
    auditing = false;
    RecordingListener other = run(request);
    assertThat(other.result().usage().cachedTokens()).isZero();
    assertThat(positions).as("computed from 0 on").isEqualTo(99);
    assertThat(wheels.stats().pagesCached()).isZero();
    verdicts.getFirst().accept(null);
    turnAll();
    assertThat(audited.result().usage().cachedTokens()).isZero();
  }

  /** The output without faults. */
  private static int[] right(GenerationRequest request) {
    return new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens();
  }

  private void isRightAndToldOnce(GenerationRequest request, RecordingListener recorded) {
    assertThat(positions).isEqualTo(99);
    transportsAgree();
    verdicts.getFirst().accept(null);
    turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(recorded.result().tokens()).isEqualTo(right(request)).isEqualTo(recorded.ids());
    assertThat(recorded.text.toString()).isEqualTo(WheelHarness.spell(recorded.ids()));
    assertThat(recorded.begins).isEqualTo(1);
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void aSequenceReleasedDuringAPassageRestartsAndEmitsEachTokenOnce() {
    liar = number -> frame -> number == 8 || number == 19 ? ForgedFrames.released(frame, 7) : frame;
    GenerationRequest request = request();
    RecordingListener recorded = run(request);
    assertThat(dropped).isEqualTo(2);
    isRightAndToldOnce(request, recorded);
  }

  @Test
  void aNewPlanDuringAPassageRestartsItAndEmitsEachTokenOnce() {
    GenerationRequest request = request();
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheels.submit(request, recorded);
    while (recorded.tokens.size() < 7) {
      wheels.turn();
      net.step();
    }
    wheels.setPlan(0, null, "node b is lost");
    wheels.turn();
    a.setPlan(null); // so that nothing from before is valid
    b.setPlan(null);
    a.setPlan(PLAN);
    b.setPlan(PLAN);
    while (net.step()) {} // what was on its way
    wheels.setPlan(0, PLAN, "node b is back");
    turnAll();
    assertThat(dropped).isEqualTo(1);
    isRightAndToldOnce(request, recorded);
  }

  @Test
  void aCheatingNodeThatGetsItsRecordDroppedIsFoundByTheTokens() {
    liar =
        number ->
            frame ->
                number > 8
                    ? frame
                    : number == 8
                        ? ForgedFrames.released(frame, 7)
                        : ForgedFrames.hidden(frame, random);
    RecordingListener recorded = run(request());
    assertThat(recorded.tokens).hasSize(5);
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(recorded.result().reason())
        .startsWith("token 0 differs from the one that was emitted before: it was ");
    assertThat(recorded.result().tokens()).isEqualTo(recorded.ids());
    assertThat(verdicts).isEmpty();
  }

  @Test
  void aSequenceThatIsReleasedRepeatedlyFailsEvenIfItRepeatsItsTokens() {
    liar = number -> frame -> number % 8 == 0 ? ForgedFrames.released(frame, 7) : frame;
    RecordingListener recorded = run(request()); // three frames of the prompt, and four more
    assertThat(recorded.tokens).hasSize(5);
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(recorded.result().reason()).isEqualTo("later");
    assertThat(dropped).isEqualTo(StepResultHandler.MOST_RELEASES);
  }

  @Test
  void aRestartedSequenceCanBeReleasedAndCancelledWhileItRepeatsItsTokens() {
    for (boolean cancel : new boolean[] {true, false}) {
      came = 0;
      liar = number -> frame -> number == 8 ? ForgedFrames.released(frame, 7) : frame;
      GenerationRequest request = request();
      RecordingListener recorded = new RecordingListener();
      recorded.generation = wheels.submit(request, recorded);
      while (came < 13) {
        wheels.turn();
        net.step();
      }
      if (cancel) {
        recorded.generation.cancel();
      } else {
        recorded.generation.release();
      }
      turnAll();
      assertThat(recorded.result().finish())
          .isEqualTo(cancel ? FinishReason.CANCELLED : FinishReason.RELEASED);
      assertThat(recorded.result().tokens()).hasSize(5).isEqualTo(recorded.ids());
      assertThat(recorded.result().usage().generatedTokens()).isEqualTo(5);
      assertThat(recorded.result().text()).isEqualTo(recorded.text.toString());
    }
  }

  @Test
  void priorTokensAreGeneratedAgainEvenIfTheyAreAll() {
    for (int prior : new int[] {1, 11, 20}) {
      verdicts.clear();
      GenerationRequest request = request();
      int[] all = right(request);
      RecordingListener recorded = run(request.resumedFrom(Arrays.copyOf(all, prior)));
      assertThat(positions).isEqualTo(99);
      assertThat(recorded.generation.isDone()).isFalse();
      verdicts.getFirst().accept(null);
      turnAll();
      assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
      assertThat(recorded.result().tokens()).isEqualTo(all);
      assertThat(recorded.ids()).isEqualTo(Arrays.copyOfRange(all, prior, 20));
      assertThat(recorded.result().text()).isEqualTo(WheelHarness.spell(all));
    }
  }

  @Test
  void aWrongPriorTokenIsFound() {
    GenerationRequest request = request();
    int[] wrong = right(request);
    wrong[19] = wrong[19] == 9 ? 8 : 9;
    RecordingListener recorded = run(request.resumedFrom(wrong));
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(recorded.result().reason()).startsWith("token 19 differs");
    auditing = false;
    assertThat(run(request.resumedFrom(wrong)).result().tokens()).isEqualTo(wrong);
  }

  @Test
  void anEarlierEndThanBeforeIsAMismatch() {
    GenerationRequest ends =
        GenerationRequest.of(WheelHarness.prompt(random, 9), WheelHarness.warm(1), 400);
    int[] all = right(ends);
    assertThat(all.length).isLessThan(390);
    int[] more = Arrays.copyOf(all, all.length + 2);
    more[all.length] = 70;
    more[all.length + 1] = 71;
    RecordingListener recorded = run(ends.resumedFrom(more));
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(recorded.result().reason()).endsWith("it was 70, now it is the end");
  }

  @Test
  void aCancelledSequenceWhoseStepFailedIsCancelled() {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheels.submit(request(), recorded);
    liar =
        number ->
            frame -> {
              recorded.generation.cancel();
              return ForgedFrames.failed(frame, 7);
            };
    turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.CANCELLED);
  }

  @Test
  void noNodeGetsAForgetMessageForAPassageThatItNeverHad() {
    RecordingListener sent = new RecordingListener();
    sent.generation = wheels.submit(request(), sent);
    RecordingListener rests = new RecordingListener();
    rests.generation = wheels.submit(request(), rests);
    wheels.turn();
    assertThat(wheels.stats().admitted()).isEqualTo(2);
    rests.generation.cancel();
    wheels.turn();
    assertThat(rests.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(net.waiting("a"))
        .as("the steps of the other")
        .extracting(frame -> new Frame(frame.duplicate()).kind())
        .containsOnly(Frame.Kind.STEP);
    assertThat(net.waiting("b")).isEmpty();
    sent.generation.cancel();
    turnAll();
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void aBrokenOffPassageIsReportedAndNeedsNoVerdict() {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheels.submit(request(), recorded);
    wheels.turn();
    wheels.setPlan(0, null, "node b is lost");
    turnAll();
    assertThat(dropped).isEqualTo(1);
    recorded.generation.cancel();
    turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(dropped).isEqualTo(1);
  }

  @Test
  void aHeldSequenceCanBeCancelledRevokedAndClosed() {
    RecordingListener cancelled = run(request());
    cancelled.generation.cancel();
    turnAll();
    assertThat(cancelled.result().finish()).isEqualTo(FinishReason.CANCELLED);
    RecordingListener revoked = run(request());
    wheels.revoke(0, "another sequence showed that node a lies");
    turnAll();
    assertThat(revoked.result().finish()).isEqualTo(FinishReason.REVOKED);
    RecordingListener closed = run(request());
    wheels.close();
    wheels.turn();
    assertThat(closed.result().finish()).isEqualTo(FinishReason.RELEASED);
    assertThat(closed.result().tokens()).hasSize(20);
    assertThat(dropped).isEqualTo(3);
    verdicts.forEach(verdict -> verdict.accept("late"));
    while (net.step()) {}
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Override
  public boolean shouldAudit(long arrival) {
    return auditing;
  }

  @Override
  public void rowSent(int pipe, long number, int position, float[] hidden, int offset) {
    left.put(position, RowHashRecorder.hash(hidden, offset, WIDTH));
  }

  @Override
  public void rowReturned(int pipe, long number, int position, float[] hidden, int offset) {
    back.put(position, RowHashRecorder.hash(hidden, offset, WIDTH));
  }

  @Override
  public void sequenceEnded(
      int pipe, long epoch, long number, int count, Consumer<@Nullable String> verdict) {
    assertThat(epoch).isEqualTo(7);
    passage = number;
    positions = count;
    verdicts.add(verdict);
  }

  @Override
  public void sequenceDropped(int pipe, long number) {
    dropped++;
  }
}
