package dev.millrace.engine.internal.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameTest {
  private static final Pipe PIPE = new Pipe(5, "mühle", 2, List.of(new Pipe.NodeLayers("a", 0, 2)));

  record TestSequence(SequenceStep step, long passage, int base, int[] tokens, int[] pages)
      implements PipeSequence {}

  private static SequenceGroup group() {
    SequenceGroup group = new SequenceGroup(2, 60, 2);
    group.open(77);
    TransitionCounts counts = new TransitionCounts();
    for (int i = 0; i < 2; i++) {
      SequenceStep step = new SequenceStep(NextComputation.LAYER, 1, counts);
      group.add(
          new TestSequence(step, 900 + i, 32, new int[0], new int[] {3, 1 + i, 8, -1}),
          40 - i,
          30,
          false);
    }
    // -0, infinities, subnormals and all kinds of NaN must arrive unchanged
    int[] bits = {0x80000000, 0x7f800000, 1, 0x7fc00001, 0x7f800001, 0xffc12345, 0x3f800001};
    for (int i = 0; i < group.batch.rows * 2; i++) {
      group.batch.hidden[i] = Float.intBitsToFloat(bits[i % bits.length]);
    }
    return group;
  }

  @Test
  void everyBitOfAGroupArrives() {
    SequenceGroup sent = group();
    Frame frame = new Frame(Frame.step(sent, PIPE));
    assertThat(frame.kind()).isEqualTo(Frame.Kind.STEP);
    assertThat(frame.group()).isEqualTo(77);
    assertThat(frame.epoch()).isEqualTo(5);
    assertThat(frame.origin()).isEqualTo("mühle");
    SequenceGroup got = frame.toGroup(new TransitionCounts());
    assertThat(got.size()).isEqualTo(2);
    for (int run = 0; run < 2; run++) {
      assertThat(got.sequence(run).passage()).isEqualTo(900 + run);
      assertThat(got.sequence(run).base()).isEqualTo(32);
      assertThat(got.sequence(run).pages()).containsExactly(3, 1 + run, 8);
      assertThat(got.firstPosition(run)).isEqualTo(40 - run);
      assertThat(got.batch.rowCount[run]).isEqualTo(30);
      assertThat(got.sequence(run).step().nextComputation()).isEqualTo(NextComputation.LAYER);
      assertThat(got.sequence(run).step().layer()).isEqualTo(1);
    }
    assertThat(bits(got)).isEqualTo(bits(sent));
  }

  private static int[] bits(SequenceGroup group) {
    int[] bits = new int[group.batch.rows * 2];
    Arrays.setAll(bits, i -> Float.floatToRawIntBits(group.batch.hidden[i]));
    return bits;
  }

  @Test
  void whetherARunIsRecordedArrives() {
    SequenceGroup sent = new SequenceGroup(2, 60, 2);
    sent.open(1);
    for (int i = 0; i < 2; i++) {
      SequenceStep step = new SequenceStep(NextComputation.LAYER, 1, new TransitionCounts());
      sent.add(new RecordedSequence(step, 5, i == 1), 0, 3, false);
    }
    SequenceGroup got = new Frame(Frame.step(sent, PIPE)).toGroup(new TransitionCounts());
    assertThat(got.sequence(0).isRecorded()).isFalse();
    assertThat(got.sequence(1).isRecorded()).isTrue();
  }

  private record RecordedSequence(SequenceStep step, long passage, boolean isRecorded)
      implements PipeSequence {
    @Override
    public int base() {
      return 0;
    }

    @Override
    public int[] tokens() {
      return new int[0];
    }

    @Override
    public int[] pages() {
      return new int[1];
    }
  }

  @Test
  void invalidFieldsAreRejectedByName() {
    int runs = 29 + 4 + 6 + 1 + 4 + 12; // head, "mühle", step, layer, counts
    forged(4, 1, "does not begin as a frame of version 2");
    forged(runs + 8, 41, "a run of 30 from 40 on");
    forged(runs + 8, -1, "a run of 30 from 40 on");
    forged(runs + 12, -40, "a run of 30 from -40 on");
    forged(runs + 16, 61, "a run of 61 from 40 on in 3 pages");
    forged(runs + 20, 2 << 24, "unknown flags 2");
    forged(runs + 25, -3, "a page of number -3");
    forged(runs - 12, Integer.MAX_VALUE, "2147483647 of something");
    forged(runs - 8, 100_000, "100000 of something");
    forged(runs - 4, Integer.MAX_VALUE, "rows of width 2147483647");
    forged(runs - 16, -1, "for layer -1");
  }

  private static void forged(int at, int value, String words) {
    byte[] bytes = Frame.step(group(), PIPE).array();
    ByteBuffer.wrap(bytes).putInt(at, value);
    FakeNetwork.seal(bytes);
    assertThatThrownBy(() -> new Frame(ByteBuffer.wrap(bytes)).toGroup(new TransitionCounts()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aNodeMayReportOnlyReleasedOrFailed() {
    byte[] bytes = Frame.ended(3, 4, new StepEnding(StepEnding.Kind.FAILED, "no")).array();
    bytes[29] = (byte) StepEnding.Kind.COMPLETED.ordinal();
    FakeNetwork.seal(bytes);
    assertThatThrownBy(() -> new Frame(ByteBuffer.wrap(bytes)).ending())
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("no ending that a node may give");
    StepEnding endless = new StepEnding(StepEnding.Kind.FAILED, "x".repeat(100_000));
    assertThat(new Frame(Frame.ended(3, 4, endless)).ending().reason()).hasSize(4096);
  }

  @Test
  void anEndingArrives() {
    StepEnding ending = new StepEnding(StepEnding.Kind.RELEASED, "plan 4 is over");
    assertThat(new Frame(Frame.ended(3, 4, ending)).ending()).isEqualTo(ending);
  }

  @Test
  void anyChangedByteIsFound() {
    byte[] bytes = Frame.step(group(), PIPE).array();
    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= (byte) (1 << i % 8);
      assertThatThrownBy(() -> new Frame(ByteBuffer.wrap(changed)))
          .isInstanceOf(EngineException.class);
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThatThrownBy(() -> new Frame(ByteBuffer.wrap(cut))).isInstanceOf(EngineException.class);
    }
  }

  @Test
  void falseFramesWithAValidChecksumAreRejectedWithoutHarm() {
    byte[] bytes = Frame.step(group(), PIPE).array();
    int fields = bytes.length - 60 * 2 * 4 - 32;
    Random random = new Random(4);
    for (int i = 0; i < 5_000; i++) {
      ByteBuffer forged = ByteBuffer.wrap(bytes.clone());
      int at = 12 + random.nextInt(fields - 16);
      forged.putInt(at, random.nextBoolean() ? random.nextInt() : random.nextInt(100));
      FakeNetwork.seal(forged.array());
      try {
        Frame frame = new Frame(forged);
        if (frame.kind() == Frame.Kind.STEP) {
          assertThat(frame.toGroup(new TransitionCounts()).batch.rows).isEqualTo(60);
        }
      } catch (EngineException e) {
        assertThat(e).as("round %d", i).hasMessageContaining("frame between nodes");
      }
    }
  }

  @Test
  void aGroupReturnsOnlyWhereThePipeReturnsToTheOrigin() {
    // through a, here, through b, here for the head
    Pipe there =
        new Pipe(
            5,
            "o",
            4,
            List.of(
                new Pipe.NodeLayers("a", 0, 2),
                new Pipe.NodeLayers("o", 2, 3),
                new Pipe.NodeLayers("b", 3, 4)));
    for (NextComputation step : NextComputation.values()) {
      for (int layer = 0; layer < 6; layer++) {
        assertThat(comesBack(there, 0, step, layer))
            .isEqualTo(step == NextComputation.LAYER && layer == 2);
        assertThat(comesBack(there, 3, step, layer))
            .isEqualTo(step == NextComputation.HEAD && layer == 4);
      }
    }
  }

  private static boolean comesBack(Pipe pipe, int from, NextComputation step, int layer) {
    SequenceGroup home = group();
    for (int run = 0; run < home.size(); run++) {
      home.sequence(run).step().setDue(step, layer);
    }
    Frame back = new Frame(Frame.step(home, pipe));
    for (int run = 0; run < home.size(); run++) {
      SequenceStep sent = home.sequence(run).step();
      sent.setDue(NextComputation.LAYER, from);
      sent.move(SequenceCondition.CANCELLED); // a step begins only after the one before is DONE
    }
    try {
      back.returnTo(home, pipe);
      assertThat(home.sequence(1).step().layer()).isEqualTo(layer);
      return true;
    } catch (EngineException e) {
      assertThat(e).hasMessageContaining("back for " + step + " " + layer + ", not for ");
      assertThat(home.sequence(1).step().state()).isEqualTo(SequenceState.DONE);
      return false;
    }
  }

  @Test
  void aGroupReturnsOnlyAsItWasSent() {
    SequenceGroup home = group();
    Frame frame = new Frame(Frame.step(home, PIPE));
    SequenceGroup other = new SequenceGroup(2, 50, 1);
    other.open(1);
    other.add(home.sequence(0), 0, 3, false);
    assertThatThrownBy(() -> frame.returnTo(other, PIPE))
        .hasMessageContaining("60 rows back, not the 3 that went");
    int runs = 29 + 4 + 6 + 1 + 4 + 12; // head, "mühle", step, layer, counts
    for (int at = runs; at < runs + 2 * (25 + 3 * 4); at++) {
      byte[] forged = Frame.step(home, PIPE).array();
      forged[at] ^= 1;
      FakeNetwork.seal(forged);
      assertThatThrownBy(() -> new Frame(ByteBuffer.wrap(forged)).returnTo(home, PIPE))
          .as("byte %d", at)
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("not the 60 that went");
    }
    // as many rows, of other sequences
    SequenceGroup swapped = new SequenceGroup(2, 60, 2);
    swapped.open(77);
    swapped.add(home.sequence(1), 39, 30, false);
    swapped.add(home.sequence(0), 40, 30, false);
    Frame again = new Frame(Frame.step(home, PIPE));
    assertThatThrownBy(() -> again.returnTo(swapped, PIPE))
        .hasMessageContaining("60 rows back, not the 60 that went");
  }
}
