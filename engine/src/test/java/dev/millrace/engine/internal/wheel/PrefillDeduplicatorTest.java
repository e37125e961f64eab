package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Equal beginnings that come together are computed once, and nobody loses its turn by that. */
@Timeout(60)
class PrefillDeduplicatorTest {
  private static final int COMMON = 256;
  private static final int OWN = 10;
  private static final WheelSettings ROOMY = WheelHarness.SETTINGS.withPages(256);

  private final Random random = new Random(21);
  private final int[] common = WheelHarness.prompt(random, COMMON);

  /** A prompt of the first {@code shared} common tokens and some of its own. */
  private int[] prompt(int shared, int own) {
    int[] prompt = Arrays.copyOf(common, shared + own);
    System.arraycopy(WheelHarness.prompt(random, own), 0, prompt, shared, own);
    return prompt;
  }

  private static GenerationRequest request(int[] prompt, int maxTokens) {
    return GenerationRequest.of(prompt, WheelHarness.warm(prompt.length), maxTokens).ignoringEnd();
  }

  private List<GenerationRequest> alike(int count) {
    List<GenerationRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(request(prompt(COMMON, OWN), 3));
    }
    return requests;
  }

  private static List<Heard> submit(WheelHarness mill, List<GenerationRequest> requests) {
    return requests.stream().map(mill::submit).toList();
  }

  private static void isAsAlone(GenerationRequest request, Heard heard) {
    WheelHarness alone = new WheelHarness(ROOMY.withPrefixReuse(false));
    assertThat(heard.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(heard.result().tokens()).isEqualTo(alone.submitAndTurn(request).result().tokens());
  }

  private static void areAsAlone(List<GenerationRequest> requests, List<Heard> heard) {
    for (int i = 0; i < requests.size(); i++) {
      isAsAlone(requests.get(i), heard.get(i));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 64, 100, 256})
  void equalBeginningsAreComputedOnceWithMuchRoomAndWithLittle(int pages) {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(pages).withRows(100, 40));
    List<GenerationRequest> requests = alike(16);
    List<Heard> heard = submit(mill, requests);
    mill.turnAll();
    areAsAlone(requests, heard);
    WheelStats stats = mill.wheel.stats();
    assertThat(stats.preemptions()).isZero();
    // of the three tokens of each, two go through the model to choose the next
    assertThat(stats.prefillTokens() + stats.decodeTokens()).isEqualTo(COMMON + 16 * (OWN + 2));
    assertThat(stats.reusedTokens()).isEqualTo(15 * COMMON);
    assertThat(stats.prefixHits()).isEqualTo(15);
    assertThat(heard.getFirst().result().usage().cachedTokens()).isZero();
    assertThat(heard.subList(1, 16))
        .allMatch(each -> each.result().usage().cachedTokens() == COMMON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"oabb", "aaao", "oaba"})
  void theyAreWhereTheLeaderIsAwayToo(String nodes) {
    for (int groups = 1; groups <= 3; groups++) {
      WheelHarness mill =
          WheelHarness.spread(ROOMY.withRows(64, 24).withGroups(groups), nodes, groups);
      List<GenerationRequest> requests = alike(16);
      List<Heard> heard = submit(mill, requests);
      mill.turnAll();
      areAsAlone(requests, heard);
      WheelStats stats = mill.wheel.stats();
      assertThat(stats.prefillTokens() + stats.decodeTokens()).isEqualTo(COMMON + 16 * (OWN + 2));
      assertThat(mill.others).allMatch(node -> node.passageCount() == 0);
    }
  }

  @Test
  void whoFollowsHasNotBegunAndEverybodyBeginsOnce() {
    WheelHarness mill = new WheelHarness(ROOMY.withRows(100, 40));
    List<Heard> heard = submit(mill, alike(8));
    mill.turn();
    assertThat(heard).extracting(each -> each.begins).containsExactly(1, 0, 0, 0, 0, 0, 0, 0);
    mill.turnAll();
    assertThat(heard).extracting(each -> each.begins).containsOnly(1);
  }

  @Test
  void withoutReuseNobodyFollows() {
    WheelHarness mill = new WheelHarness(ROOMY.withPrefixReuse(false).withRows(512, 128));
    List<GenerationRequest> requests = alike(16);
    List<Heard> heard = submit(mill, requests);
    mill.turn();
    // thirty-two rows for each
    assertThat(heard).allMatch(each -> each.progress.equals(List.of(32)));
    mill.turnAll();
    areAsAlone(requests, heard);
    assertThat(mill.wheel.stats().prefillTokens()).isEqualTo(16 * (COMMON + OWN));
    assertThat(mill.wheel.stats().reusedTokens()).isZero();
  }

  @Test
  void aBeginningOfLessThanAPageIsNotWaitedFor() {
    WheelHarness mill = new WheelHarness(ROOMY);
    List<Heard> heard =
        submit(mill, List.of(request(prompt(31, 20), 2), request(prompt(31, 20), 2)));
    mill.turn();
    assertThat(heard).allMatch(each -> each.tokens.size() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel", "release", "throw"})
  void whereTheLeaderLeavesTheNextGoesOnFromWhereItWas(String how) {
    WheelHarness mill = new WheelHarness(ROOMY.withRows(64, 16));
    List<GenerationRequest> requests = alike(5);
    boolean[] broken = {false};
    GenerationListener leading =
        new GenerationListener() {
          @Override
          public void token(int id, String text, Logprobs given) {}

          @Override
          public void progress(int done, int total) {
            if (broken[0]) {
              throw new IllegalStateException("disk full");
            }
          }
        };
    Generation leader = mill.wheel.submit(requests.getFirst(), leading);
    List<Heard> heard = submit(mill, requests.subList(1, 5));
    mill.turn();
    broken[0] = how.equals("throw");
    mill.turn(); // 128 are computed
    switch (how) {
      case "cancel" -> leader.cancel();
      case "release" -> leader.release();
      default -> assertThat(leader.isDone()).isTrue();
    }
    mill.turn();
    assertThat(leader.isDone()).isTrue();
    assertThat(heard.getFirst().progress).containsExactly(192);
    assertThat(heard.get(1).progress).isEmpty();
    mill.turnAll();
    areAsAlone(requests.subList(1, 5), heard);
    assertThat(mill.wheel.stats().prefillTokens()).isEqualTo(COMMON + 4 * OWN);
    assertThat(heard.getFirst().result().usage().cachedTokens()).isEqualTo(128);
  }

  @Test
  void aFollowerThatIsCancelledLeavesNothingBehind() {
    WheelHarness mill = new WheelHarness(ROOMY.withRows(64, 16));
    List<GenerationRequest> requests = alike(3);
    List<Heard> heard = submit(mill, requests);
    mill.turn();
    mill.turn();
    heard.get(1).generation.cancel();
    mill.turnAll();
    assertThat(heard.get(1).result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(heard.get(1).result().usage().cachedTokens()).isZero();
    isAsAlone(requests.get(2), heard.get(2));
    assertThat(mill.wheel.stats().pagesUsed()).isZero();
  }

  @Test
  void aFollowerHasASlotThatNobodyBehindItGets() {
    WheelHarness mill = new WheelHarness(ROOMY.withSequences(3).withRows(64, 64));
    Heard leader = mill.submit(request(prompt(COMMON, OWN), 100));
    Heard follower = mill.submit(request(prompt(COMMON, OWN), 2));
    Heard other = mill.submit(request(prompt(0, 20), 100));
    Heard last = mill.submit(request(prompt(0, 20), 2));
    mill.turn();
    // who is behind it and has a slot of its own does not wait with it
    assertThat(other.tokens).hasSize(1);
    assertThat(mill.wheel.stats().admitted()).isEqualTo(3);
    last.onToken = () -> assertThat(follower.generation.isDone()).isTrue();
    mill.turnAll();
    assertThat(last.result().tokens()).hasSize(2);
    assertThat(leader.result().usage().cachedTokens()).isZero();
    assertThat(follower.result().usage().cachedTokens()).isEqualTo(COMMON);
  }

  @Test
  void aFollowerHasPagesThatNobodyBehindItGets() {
    // nine for the leader, nine promised, of which the last would need three
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(22).withRows(64, 64));
    mill.submit(request(prompt(COMMON, OWN), 2));
    Heard follower = mill.submit(request(prompt(COMMON, OWN), 2));
    Heard last = mill.submit(request(prompt(0, 90), 2));
    mill.turn();
    assertThat(mill.wheel.stats().admitted()).isEqualTo(2);
    assertThat(mill.wheel.stats().pagesUsed()).isEqualTo(9);
    // two pages are taken up, so two promises are over
    mill.turn();
    assertThat(mill.wheel.stats().admitted()).isEqualTo(3);
    mill.turnAll();
    assertThat(follower.result().usage().preemptions()).isZero();
    assertThat(last.result().usage().preemptions()).isZero();
  }

  @Test
  void pagesThatOneInsideNeedsAreTakenFromAFollowerBehindIt() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(13).withRows(128, 1));
    for (int i = 0; i < 3; i++) {
      mill.submit(request(prompt(0, 31), 50));
    }
    mill.turn();
    GenerationRequest request = request(prompt(64, 6), 3);
    Heard leader = mill.submit(request);
    Heard follower = mill.submit(request);
    mill.turnAll();
    assertThat(leader.result().usage().preemptions()).isZero();
    assertThat(follower.result().usage().preemptions()).isEqualTo(1);
    assertThat(follower.result().usage().cachedTokens()).isEqualTo(64);
    isAsAlone(request, follower);
  }

  @Test
  void onesThatFollowFollowersGoAsFarWithEachAsTheyShare() {
    WheelHarness mill = new WheelHarness(ROOMY.withRows(64, 64));
    int[] branch = prompt(COMMON / 2, COMMON / 2);
    int[] second = Arrays.copyOf(branch, COMMON + 5);
    int[] third = Arrays.copyOf(branch, COMMON + 20);
    Arrays.fill(second, COMMON, COMMON + 5, 3);
    Arrays.fill(third, COMMON, COMMON + 20, 4);
    List<GenerationRequest> requests =
        List.of(request(prompt(COMMON, OWN), 3), request(second, 3), request(third, 3));
    List<Heard> heard = submit(mill, requests);
    mill.turnAll();
    areAsAlone(requests, heard);
    assertThat(heard.get(1).result().usage().cachedTokens()).isEqualTo(COMMON / 2);
    assertThat(heard.get(2).result().usage().cachedTokens()).isEqualTo(COMMON);
    assertThat(mill.wheel.stats().prefillTokens()).isEqualTo(COMMON + OWN + COMMON / 2 + 5 + 20);
  }

  @Test
  void oneWithAStrongerClaimFollowsOneThatHasBegun() {
    WheelHarness mill = new WheelHarness(ROOMY.withRows(64, 16));
    List<GenerationRequest> requests = alike(2);
    Heard leader = mill.submit(requests.get(0).withOrder(2));
    mill.turn();
    Heard follower = mill.submit(requests.get(1).withOrder(1));
    mill.turnAll();
    areAsAlone(requests, List.of(leader, follower));
    assertThat(mill.wheel.stats().prefillTokens()).isEqualTo(COMMON + 2 * OWN);
  }

  @Test
  void nobodyIsLaterForFollowingThanItWouldBeByItself() {
    for (int rows : new int[] {16, 48, 128}) {
      List<GenerationRequest> requests = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        requests.add(request(i % 3 == 0 ? prompt(0, 200) : prompt(COMMON, 1 + 3 * i), 4));
      }
      int[][] turns = new int[2][];
      for (int reuse = 0; reuse < 2; reuse++) {
        WheelSettings settings = ROOMY.withRows(rows, rows).withPrefixReuse(reuse == 1);
        turns[reuse] = firstTokens(settings, requests);
      }
      for (int i = 0; i < 12; i++) {
        assertThat(turns[1][i]).as("%d with %d rows", i, rows).isLessThanOrEqualTo(turns[0][i] + 1);
      }
    }
  }

  /** The turns in which each hears its first token. */
  private static int[] firstTokens(WheelSettings settings, List<GenerationRequest> requests) {
    WheelHarness mill = new WheelHarness(settings);
    List<Heard> heard = submit(mill, requests);
    int[] turns = new int[requests.size()];
    for (int turn = 1; mill.turn(); turn++) {
      for (int i = 0; i < turns.length; i++) {
        turns[i] = turns[i] == 0 && !heard.get(i).tokens.isEmpty() ? turn : turns[i];
      }
    }
    return turns;
  }
}
