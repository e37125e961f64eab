package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of a sequence depends on its request alone. */
class WheelDeterminismTest {
  private static final List<GenerationRequest> REQUESTS = requests();
  private static final List<int[]> EXPECTED =
      REQUESTS.stream()
          .map(r -> WheelHarness.MODEL.alone(r.prompt(), r.sampling(), r.maxTokens()))
          .toList();

  /** Sixteen requests, many of which have equal prefixes. */
  private static List<GenerationRequest> requests() {
    Random random = new Random(3);
    int[] common = WheelHarness.prompt(random, 100);
    List<GenerationRequest> requests = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      int[] own = WheelHarness.prompt(random, 1 + random.nextInt(60));
      int shared = i % 3 == 0 ? 0 : random.nextInt(100);
      int[] prompt = Arrays.copyOf(common, shared + own.length);
      System.arraycopy(own, 0, prompt, shared, own.length);
      requests.add(
          GenerationRequest.of(
              i == 7 ? requests.get(4).prompt() : prompt,
              WheelHarness.warm(i),
              40 + random.nextInt(70)));
    }
    return requests;
  }

  private static WheelHarness runs(WheelHarness harness, int... order) {
    RecordingListener[] recorded = new RecordingListener[order.length];
    for (int i = 0; i < order.length; i++) {
      recorded[i] = harness.submit(REQUESTS.get(order[i]));
    }
    harness.turnAll();
    for (int i = 0; i < order.length; i++) {
      int[] expected = EXPECTED.get(order[i]);
      GenerationResult result = recorded[i].result();
      assertThat(result.tokens()).as("request %d", order[i]).isEqualTo(expected);
      assertThat(recorded[i].ids()).isEqualTo(expected);
      assertThat(result.text())
          .isEqualTo(WheelHarness.spell(expected))
          .isEqualTo(recorded[i].text.toString());
      boolean full = expected.length == REQUESTS.get(order[i]).maxTokens();
      assertThat(result.finish()).isEqualTo(full ? FinishReason.LENGTH : FinishReason.STOP);
    }
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    return harness;
  }

  private static int[] first(int count) {
    int[] order = new int[count];
    Arrays.setAll(order, i -> i);
    return order;
  }

  @Test
  void someOfTheRequestsEndByThemselvesAndSomeDoNot() {
    long full = 0;
    for (int i = 0; i < 16; i++) {
      full += EXPECTED.get(i).length == REQUESTS.get(i).maxTokens() ? 1 : 0;
    }
    assertThat(full).isBetween(1L, 15L);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void batchesOfAnySizeGiveTheSame(int size) {
    runs(new WheelHarness(WheelHarness.SETTINGS.withSequences(size)), first(16));
    runs(new WheelHarness(WheelHarness.SETTINGS), first(size));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 16, 31, 32, 33, 64, 100, 512})
  void chunksOfAnySizeGiveTheSame(int rows) {
    runs(new WheelHarness(WheelHarness.SETTINGS.withRows(Math.max(16, rows), rows)), first(16));
    runs(new WheelHarness(WheelHarness.SETTINGS.withSequences(1).withRows(rows, rows)), first(6));
  }

  @Test
  void prefixReuseOnAndOffGiveTheSame() {
    WheelHarness off =
        runs(new WheelHarness(WheelHarness.SETTINGS.withPrefixReuse(false)), first(16));
    assertThat(off.wheel.stats().prefixHits()).isZero();
    assertThat(off.wheel.stats().pagesFree()).isEqualTo(64);
    WheelHarness on = new WheelHarness(WheelHarness.SETTINGS);
    runs(on, first(16));
    long once = on.wheel.stats().reusedTokens();
    runs(on, first(16));
    assertThat(on.wheel.stats().reusedTokens()).isGreaterThan(once + 16 * 10);
    assertThat(on.wheel.stats().prefillTokens()).isLessThan(2 * off.wheel.stats().prefillTokens());
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 11, 13, 16})
  void scarcePagesPreemptAndGiveTheSame(int pages) {
    WheelHarness harness =
        runs(new WheelHarness(WheelHarness.SETTINGS.withPages(pages)), first(16));
    assertThat(harness.wheel.stats().preemptions()).isPositive();
    WheelHarness off =
        new WheelHarness(
            WheelHarness.SETTINGS.withPages(pages).withPrefixReuse(false).withRows(16, 4));
    runs(off, first(16));
    assertThat(off.wheel.stats().preemptions()).isPositive();
  }

  @Test
  void anyOrderOfSubmissionGivesTheSame() {
    for (long seed = 0; seed < 10; seed++) {
      List<Integer> order = new ArrayList<>(Arrays.stream(first(16)).boxed().toList());
      Collections.shuffle(order, new Random(seed));
      runs(
          new WheelHarness(WheelHarness.SETTINGS.withPages(20)),
          order.stream().mapToInt(Integer::intValue).toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"oooo", "oabc", "ooaa", "aaaa", "aaoo", "oabo", "oaob", "abab", "oaao", "abca"})
  void anyCutIntoSegmentsOnNodesGivesTheSame(String nodes) {
    for (int groups = 1; groups <= 3; groups += 2) {
      WheelSettings settings = WheelHarness.SETTINGS.withGroups(groups).withRows(64, 24);
      WheelHarness harness = runs(WheelHarness.spread(settings, nodes, groups), first(16));
      assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
      WheelHarness scarce =
          runs(WheelHarness.spread(settings.withPages(12), nodes, groups), first(16));
      assertThat(scarce.wheel.stats().preemptions()).isPositive();
      assertThat(scarce.others).allMatch(node -> node.passageCount() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void anyCutIntoSegmentsOfOneNodeGivesTheSame(int cut) {
    int[] starts =
        java.util.stream.IntStream.range(0, 4)
            .filter(l -> l == 0 || (cut >> l - 1 & 1) == 1)
            .toArray();
    var processor =
        dev.millrace.engine.internal.pipe.PipeProcessor.local(
            WheelHarness.MODEL.cut(64, starts), WheelHarness.MODEL.end());
    runs(new WheelHarness(WheelHarness.SETTINGS, processor, null), first(16));
  }

  @Test
  void aSequenceReleasedAnywhereAndResumedElsewhereGivesTheSameTokens() {
    Random random = new Random(11);
    for (int i = 0; i < 16; i++) {
      GenerationRequest request = REQUESTS.get(i);
      int[] expected = EXPECTED.get(i);
      int[] prior = Arrays.copyOf(expected, random.nextInt(expected.length + 1));
      RecordingListener recorded =
          new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request.resumedFrom(prior));
      assertThat(recorded.result().tokens()).isEqualTo(expected);
      assertThat(recorded.result().text()).isEqualTo(WheelHarness.spell(expected));
      assertThat(recorded.ids())
          .isEqualTo(Arrays.copyOfRange(expected, prior.length, expected.length));
      assertThat(recorded.result().usage().generatedTokens()).isEqualTo(expected.length);
    }
  }
}
