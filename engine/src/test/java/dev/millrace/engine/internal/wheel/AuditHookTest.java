package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
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

/** What an examiner is shown, and what its verdict does. */
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
  private boolean choosing = true;
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
            WheelHarness::speller,
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

  private Heard run(GenerationRequest request) {
    Heard heard = new Heard();
    heard.generation = wheels.submit(request, heard);
    turnAll();
    return heard;
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
  void theEndIsHeldUntilTheVerdictAndWhatNodesNotedIsKeptUntilThen() {
    GenerationRequest request = request();
    Heard heard = run(request);
    assertThat(heard.tokens).hasSize(20);
    assertThat(heard.generation.isDone()).isFalse();
    assertThat(positions).isEqualTo(99);
    assertThat(wheels.stats().pagesUsed()).as("others may have its pages").isZero();
    assertThat(wheels.stats().admitted()).as("it is not over").isEqualTo(1);
    hopsAgree();
    verdicts.getFirst().accept(null);
    verdicts.getFirst().accept("too late");
    turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(heard.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
    assertThat(a.passageCount() + b.passageCount()).isZero();
    assertThat(a.rowHashes(passage)).isEmpty();
    assertThat(dropped).isZero();
  }

  private void hopsAgree() {
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
    Heard heard = run(request());
    verdicts.getFirst().accept("node b computed something else at position 3");
    turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(heard.result().reason()).startsWith("node b computed something else");
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void whereThereIsAnExaminerNobodySharesPagesSoThatNodesCannotTellTheChosen() {
    choosing = false;
    GenerationRequest request = request();
    run(request);
    choosing = true;
    Heard examined = new Heard();
    examined.generation = wheels.submit(request, examined);
    wheels.turn();
    choosing = false;
    Heard other = run(request);
    assertThat(other.result().usage().cachedTokens()).isZero();
    assertThat(positions).as("computed from 0 on").isEqualTo(99);
    assertThat(wheels.stats().pagesCached()).isZero();
    verdicts.getFirst().accept(null);
    turnAll();
    assertThat(examined.result().usage().cachedTokens()).isZero();
  }

  /** What it gives where nothing goes wrong. */
  private static int[] right(GenerationRequest request) {
    return new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens();
  }

  private void isRightAndToldOnce(GenerationRequest request, Heard heard) {
    assertThat(positions).isEqualTo(99);
    hopsAgree();
    verdicts.getFirst().accept(null);
    turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(heard.result().tokens()).isEqualTo(right(request)).isEqualTo(heard.ids());
    assertThat(heard.text.toString()).isEqualTo(WheelHarness.spell(heard.ids()));
    assertThat(heard.begins).isEqualTo(1);
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void whatIsReleasedOnTheWayBeginsAgainAndIsToldOnce() {
    liar = number -> frame -> number == 8 || number == 19 ? ForgedFrames.released(frame, 7) : frame;
    GenerationRequest request = request();
    Heard heard = run(request);
    assertThat(dropped).isEqualTo(2);
    isRightAndToldOnce(request, heard);
  }

  @Test
  void anotherPlanOnTheWayBeginsAgainAndIsToldOnce() {
    GenerationRequest request = request();
    Heard heard = new Heard();
    heard.generation = wheels.submit(request, heard);
    while (heard.tokens.size() < 7) {
      wheels.turn();
      net.step();
    }
    wheels.setPlan(0, null, "node b is lost");
    wheels.turn();
    a.setPlan(null); // so that nothing of before counts
    b.setPlan(null);
    a.setPlan(PLAN);
    b.setPlan(PLAN);
    while (net.step()) {} // what was on its way
    wheels.setPlan(0, PLAN, "node b is back");
    turnAll();
    assertThat(dropped).isEqualTo(1);
    isRightAndToldOnce(request, heard);
  }

  @Test
  void aLiarThatHasItsTraceDroppedIsFoundByItsTokens() {
    liar =
        number ->
            frame ->
                number > 8
                    ? frame
                    : number == 8
                        ? ForgedFrames.released(frame, 7)
                        : ForgedFrames.hidden(frame, random);
    Heard heard = run(request());
    assertThat(heard.tokens).hasSize(5);
    assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(heard.result().reason())
        .startsWith("token 0 differs from the one that was given before: it was ");
    assertThat(heard.result().tokens()).isEqualTo(heard.ids());
    assertThat(verdicts).isEmpty();
  }

  @Test
  void oneThatIsReleasedAgainAndAgainFailsThoughItGivesItsOldTokensEachTime() {
    liar = number -> frame -> number % 8 == 0 ? ForgedFrames.released(frame, 7) : frame;
    Heard heard = run(request()); // three frames of the prompt, and four more
    assertThat(heard.tokens).hasSize(5);
    assertThat(heard.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(heard.result().reason()).isEqualTo("later");
    assertThat(dropped).isEqualTo(StepResultHandler.MOST_RELEASES);
  }

  @Test
  void whileItGivesItsOldTokensItCanBeReleasedAndCancelled() {
    for (boolean cancel : new boolean[] {true, false}) {
      came = 0;
      liar = number -> frame -> number == 8 ? ForgedFrames.released(frame, 7) : frame;
      GenerationRequest request = request();
      Heard heard = new Heard();
      heard.generation = wheels.submit(request, heard);
      while (came < 13) {
        wheels.turn();
        net.step();
      }
      if (cancel) {
        heard.generation.cancel();
      } else {
        heard.generation.release();
      }
      turnAll();
      assertThat(heard.result().finish())
          .isEqualTo(cancel ? FinishReason.CANCELLED : FinishReason.RELEASED);
      assertThat(heard.result().tokens()).hasSize(5).isEqualTo(heard.ids());
      assertThat(heard.result().usage().generatedTokens()).isEqualTo(5);
      assertThat(heard.result().text()).isEqualTo(heard.text.toString());
    }
  }

  @Test
  void whatItIsResumedFromIsGeneratedAgainEvenIfThatIsAll() {
    for (int prior : new int[] {1, 11, 20}) {
      verdicts.clear();
      GenerationRequest request = request();
      int[] all = right(request);
      Heard heard = run(request.resumedFrom(Arrays.copyOf(all, prior)));
      assertThat(positions).isEqualTo(99);
      assertThat(heard.generation.isDone()).isFalse();
      verdicts.getFirst().accept(null);
      turnAll();
      assertThat(heard.result().finish()).isEqualTo(FinishReason.LENGTH);
      assertThat(heard.result().tokens()).isEqualTo(all);
      assertThat(heard.ids()).isEqualTo(Arrays.copyOfRange(all, prior, 20));
      assertThat(heard.result().text()).isEqualTo(WheelHarness.spell(all));
    }
  }

  @Test
  void aWrongTokenThatItIsResumedFromIsFound() {
    GenerationRequest request = request();
    int[] wrong = right(request);
    wrong[19] = wrong[19] == 9 ? 8 : 9;
    Heard heard = run(request.resumedFrom(wrong));
    assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(heard.result().reason()).startsWith("token 19 differs");
    choosing = false;
    assertThat(run(request.resumedFrom(wrong)).result().tokens()).isEqualTo(wrong);
  }

  @Test
  void anEndThatComesEarlierThanBeforeIsADifference() {
    GenerationRequest ends =
        GenerationRequest.of(WheelHarness.prompt(random, 9), WheelHarness.warm(1), 400);
    int[] all = right(ends);
    assertThat(all.length).isLessThan(390);
    int[] more = Arrays.copyOf(all, all.length + 2);
    more[all.length] = 70;
    more[all.length + 1] = 71;
    Heard heard = run(ends.resumedFrom(more));
    assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(heard.result().reason()).endsWith("it was 70, now it is the end");
  }

  @Test
  void aCancelledOneWhoseStepFailedIsCancelled() {
    Heard heard = new Heard();
    heard.generation = wheels.submit(request(), heard);
    liar =
        number ->
            frame -> {
              heard.generation.cancel();
              return ForgedFrames.failed(frame, 7);
            };
    turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.CANCELLED);
  }

  @Test
  void nobodyIsToldToForgetWhatNobodyHeardOf() {
    Heard sent = new Heard();
    sent.generation = wheels.submit(request(), sent);
    Heard rests = new Heard();
    rests.generation = wheels.submit(request(), rests);
    wheels.turn();
    assertThat(wheels.stats().admitted()).isEqualTo(2);
    rests.generation.cancel();
    wheels.turn();
    assertThat(rests.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(net.waiting("a")).as("the step of the other").hasSize(1);
    assertThat(net.waiting("b")).isEmpty();
    sent.generation.cancel();
    turnAll();
    assertThat(a.passageCount() + b.passageCount()).isZero();
  }

  @Test
  void whatIsBrokenOffIsToldAndNoVerdictIsAwaited() {
    Heard heard = new Heard();
    heard.generation = wheels.submit(request(), heard);
    wheels.turn();
    wheels.setPlan(0, null, "node b is lost");
    turnAll();
    assertThat(dropped).isEqualTo(1);
    heard.generation.cancel();
    turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(dropped).isEqualTo(1);
  }

  @Test
  void aHeldOneCanBeCancelledRevokedAndClosed() {
    Heard cancelled = run(request());
    cancelled.generation.cancel();
    turnAll();
    assertThat(cancelled.result().finish()).isEqualTo(FinishReason.CANCELLED);
    Heard revoked = run(request());
    wheels.revoke(0, "another sequence showed that node a lies");
    turnAll();
    assertThat(revoked.result().finish()).isEqualTo(FinishReason.REVOKED);
    Heard closed = run(request());
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
    return choosing;
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
