package dev.millrace.engine.internal.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PipeProcessorTest {
  private static final FakeModel MODEL = new FakeModel(3);
  private static final Pipe PLAN =
      new Pipe(7, "o", 3, List.of(new Pipe.NodeLayers("o", 0, 1), new Pipe.NodeLayers("a", 1, 3)));

  private final FakeNetwork net = new FakeNetwork(1);
  private final PipeProcessor origin =
      new PipeProcessor("o", List.of(new Nothing()), MODEL.end(), net);
  private final PipeProcessor node =
      new PipeProcessor("a", List.of(MODEL.segment(8, 1, 3)), null, net);
  private final SequenceGroup group = new SequenceGroup(FakeModel.WIDTH, 64, 4);
  private long groups;

  PipeProcessorTest() {
    origin.setPlan(PLAN);
    node.setPlan(PLAN);
    net.join("a", node::receive);
    net.join("o", frame -> comeBack(new Frame(frame)));
  }

  private void comeBack(Frame frame) {
    if (origin.receiveReturned(group, frame)) {
      origin.resume(group);
    }
  }

  private PipeSequence sequence(long passage, int base) {
    return new FrameTest.TestSequence(
        origin.newStep(), passage, base, new int[200], new int[] {0, 1, 2, 3});
  }

  private StepEnding send(PipeSequence sequence, int first, int count, boolean more) {
    group.open(++groups);
    group.add(sequence, first, count, more);
    origin.start(group);
    assertThat(group.isHandedOff()).isTrue();
    while (net.step()) {}
    return Objects.requireNonNullElse(
        sequence.step().ending(), new StepEnding(StepEnding.Kind.COMPLETED, "not ended"));
  }

  @Test
  void aGroupIsHandedOffAndComesBackForItsHead() {
    PipeSequence one = sequence(1, 0);
    send(one, 0, 20, true);
    assertThat(one.step().state()).isEqualTo(SequenceState.EMBED);
    send(one, 20, 20, false);
    assertThat(one.step().state()).isEqualTo(SequenceState.HEAD);
    assertThat(one.step().nextComputation()).isEqualTo(NextComputation.HEAD);
    assertThat(group.headCount()).isEqualTo(1);
    assertThat(node.passageCount()).isEqualTo(1);
    origin.forget(1);
    while (net.step()) {}
    assertThat(node.passageCount()).isZero();
  }

  @Test
  void missingPositionsReleaseTheStepAndExistingOnesAreTruncated() {
    send(sequence(1, 0), 0, 40, false);
    StepEnding gap = send(sequence(1, 0), 41, 1, false);
    assertThat(gap.kind()).isEqualTo(StepEnding.Kind.RELEASED);
    assertThat(gap.reason())
        .isEqualTo("node a: passage 1: a step from position 41 on, but 40 positions are here");
    // again from position 32: what came after it is dropped
    assertThat(send(sequence(1, 0), 32, 4, false).reason()).isEqualTo("not ended");
    assertThat(send(sequence(1, 0), 40, 1, false).reason()).contains("40 on, but 36 positions");
  }

  @Test
  void aPassageMayBeginAfterItsSharedPages() {
    send(sequence(1, 0), 0, 40, false);
    assertThat(send(sequence(2, 32), 32, 4, false).reason()).isEqualTo("not ended");
    assertThat(send(sequence(3, 0), 32, 4, false).reason()).contains("0 positions are here");
  }

  @Test
  void stepsOfAnOlderPlanAreRejectedAndThoseOfANewerPlanWait() {
    node.setPlan(new Pipe(8, "o", 3, PLAN.nodeLayers()));
    StepEnding former = send(sequence(1, 0), 0, 4, false);
    assertThat(former)
        .isEqualTo(new StepEnding(StepEnding.Kind.RELEASED, "node a: plan 7 is over"));
    node.setPlan(new Pipe(6, "o", 3, PLAN.nodeLayers()));
    assertThat(send(sequence(1, 0), 0, 4, false).reason()).isEqualTo("node a does not know plan 7");
    node.setPlan(null);
    assertThat(send(sequence(1, 0), 0, 4, false).kind()).isEqualTo(StepEnding.Kind.RELEASED);
  }

  @Test
  void aRepeatedOrLateStepIsRejectedBecauseItsPagesMayBelongToOthers() {
    PipeSequence one = sequence(1, 0);
    group.open(5);
    group.add(one, 0, 4, false);
    origin.start(group);
    ByteBuffer step = ByteBuffer.wrap(net.waiting("a").peek().array().clone());
    while (net.step()) {}
    origin.forget(1);
    while (net.step()) {}
    node.receive(step);
    assertThat(new Frame(net.waiting("o").remove()).ending().reason())
        .isEqualTo("node a: group 5 came after group 5");
    assertThat(node.passageCount()).isZero();
  }

  @Test
  void pagesThatANodeDoesNotHaveAreRejectedBeforeAnythingIsComputed() {
    PipeSequence beyond =
        new FrameTest.TestSequence(origin.newStep(), 2, 0, new int[9], new int[] {8});
    assertThat(send(beyond, 0, 2, false))
        .isEqualTo(
            new StepEnding(
                StepEnding.Kind.RELEASED,
                "node a: passage 2: a step in page 8, but there are 8 pages here"));
    assertThat(node.passageCount()).isZero();
  }

  @Test
  void aNewPlanForgetsAllPassagesAndAMessageOfAnOlderPlanForgetsNone() {
    send(sequence(1, 0), 0, 4, false);
    node.setPlan(PLAN);
    assertThat(node.passageCount()).isEqualTo(1);
    node.receive(Frame.forget(1, 6));
    assertThat(node.passageCount()).isEqualTo(1);
    node.setPlan(new Pipe(8, "o", 3, PLAN.nodeLayers()));
    assertThat(node.passageCount()).isZero();
  }

  @Test
  void aGroupThatReturnsChangedIsComputedAgain() {
    PipeSequence one = sequence(1, 0);
    group.open(1);
    group.add(one, 0, 4, false);
    origin.start(group);
    // the step itself, as if the node had done nothing
    net.send("o", net.waiting("a").remove());
    net.step();
    assertThat(one.step().ending())
        .matches(
            e ->
                e.kind() == StepEnding.Kind.RELEASED
                    && e.reason().contains("back for LAYER 1, not for HEAD 3"));
  }

  @Test
  void aFailureAtANodeReachesTheOriginWithItsReason() {
    // the fake's pages are written in order; the tracker knows nothing of that, so that the model
    // itself complains
    PipeSequence skipping =
        new FrameTest.TestSequence(origin.newStep(), 2, 3, new int[9], new int[] {1});
    StepEnding ending = send(skipping, 3, 2, false);
    assertThat(ending)
        .isEqualTo(
            new StepEnding(
                StepEnding.Kind.FAILED, "node a, from layer 1 on: page 1 has 0, written at 3"));
  }

  @Test
  void aNodeThatIsWronglyTheOriginOfItsPlanReportsIt() {
    node.setPlan(new Pipe(7, "a", 3, PLAN.nodeLayers()));
    StepEnding ending = send(sequence(1, 0), 0, 4, false);
    assertThat(ending)
        .isEqualTo(
            new StepEnding(StepEnding.Kind.FAILED, "node a is no origin, but its plan 7 says so"));
  }

  @Test
  void aNodeAcceptsOnlyStepsForLayers() {
    for (NextComputation step : NextComputation.values()) {
      PipeSequence one = sequence(1, 0);
      group.open(++groups);
      group.add(one, 0, 4, false);
      origin.start(group);
      ByteBuffer forged = net.waiting("a").remove();
      forged.put(29 + 4 + 1, (byte) step.ordinal()); // head, "o"
      FakeNetwork.seal(forged.array());
      node.receive(forged);
      Frame answer = new Frame(net.waiting("o").remove());
      if (step == NextComputation.LAYER) {
        assertThat(answer.kind()).isEqualTo(Frame.Kind.STEP);
      } else {
        assertThat(answer.ending().kind()).isEqualTo(StepEnding.Kind.RELEASED);
        assertThat(answer.ending().reason())
            .isEqualTo("node a: a step of " + step + ", which is its origin's");
      }
    }
  }

  @Test
  void eachNodeGetsOneForgetMessage() {
    List<Pipe.NodeLayers> stretches =
        List.of(
            new Pipe.NodeLayers("a", 0, 1),
            new Pipe.NodeLayers("o", 1, 2),
            new Pipe.NodeLayers("a", 2, 3));
    origin.setPlan(new Pipe(8, "o", 3, stretches));
    origin.forget(5);
    assertThat(net.waiting("a")).hasSize(1);
    assertThat(net.waiting("o")).isEmpty();
  }

  @Test
  void aHeadStepAtANodeThatIsNotTheOriginIsRejected() {
    SequenceStep step = new SequenceStep(NextComputation.HEAD, 3, node.transitionCounts());
    group.open(1);
    group.add(new FrameTest.TestSequence(step, 1, 0, new int[9], new int[] {0}), 0, 1, false);
    node.start(group);
    assertThat(step.ending())
        .isEqualTo(new StepEnding(StepEnding.Kind.FAILED, "not origin for head"));
  }

  @Test
  void aHeadStepWithoutAHeadIsRejected() {
    PipeProcessor endless = new PipeProcessor("o", List.of(), null, net);
    endless.setPlan(PLAN);
    SequenceStep step = new SequenceStep(NextComputation.HEAD, 3, endless.transitionCounts());
    group.open(1);
    group.add(new FrameTest.TestSequence(step, 1, 0, new int[9], new int[] {0}), 0, 1, false);
    endless.start(group);
    assertThat(step.ending()).isEqualTo(new StepEnding(StepEnding.Kind.FAILED, "end missing"));
  }

  @Test
  void plansThatOverlapOrExceedTheModelAreRejected() {
    assertThatThrownBy(
            () ->
                new Pipe(
                    1,
                    "o",
                    3,
                    List.of(new Pipe.NodeLayers("a", 0, 2), new Pipe.NodeLayers("b", 1, 3))))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("layers [1, 3) at node \"b\" overlap");
    assertThatThrownBy(() -> new Pipe(1, "o", 3, List.of(new Pipe.NodeLayers("a", 0, 4))))
        .hasMessageContaining("3 layers");
    assertThat(
            new Pipe(
                    1,
                    "o",
                    3,
                    List.of(new Pipe.NodeLayers("a", 0, 1), new Pipe.NodeLayers("b", 2, 3)))
                .isComplete())
        .isFalse();
  }

  /** Layer 0, which does nothing. */
  private static final class Nothing implements Segment {
    @Override
    public int from() {
      return 0;
    }

    @Override
    public int to() {
      return 1;
    }

    @Override
    public void forward(Batch batch) {}
  }
}
