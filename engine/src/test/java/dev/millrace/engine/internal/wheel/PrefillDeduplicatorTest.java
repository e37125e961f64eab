package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Equal prefixes that arrive together are computed once, and no sequence is delayed by that. */
@Timeout(60)
class PrefillDeduplicatorTest {
  private static final int COMMON = 256;
  private static final int OWN = 10;
  private static final WheelSettings ROOMY = WheelHarness.SETTINGS.withPages(256);

  private final Random random = new Random(21);
  private final int[] common = WheelHarness.prompt(random, COMMON);

  /** A prompt of the first {@code shared} common tokens and some own ones. */
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

  private static List<RecordingListener> submit(
      WheelHarness harness, List<GenerationRequest> requests) {
    return requests.stream().map(harness::submit).toList();
  }

  private static void isAsAlone(GenerationRequest request, RecordingListener recorded) {
    WheelHarness alone = new WheelHarness(ROOMY.withPrefixReuse(false));
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(recorded.result().tokens())
        .isEqualTo(alone.submitAndTurn(request).result().tokens());
  }

  private static void areAsAlone(
      List<GenerationRequest> requests, List<RecordingListener> recorded) {
    for (int i = 0; i < requests.size(); i++) {
      isAsAlone(requests.get(i), recorded.get(i));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 64, 100, 256})
  void equalBeginningsAreComputedOnceWithMuchRoomAndWithLittle(int pages) {
    WheelHarness harness =
        new WheelHarness(WheelHarness.SETTINGS.withPages(pages).withRows(100, 40));
    List<GenerationRequest> requests = alike(16);
    List<RecordingListener> recorded = submit(harness, requests);
    harness.turnAll();
    areAsAlone(requests, recorded);
    WheelStats stats = harness.wheel.stats();
    assertThat(stats.preemptions()).isZero();
    // of the three tokens of each, two go through the model to choose the next
    assertThat(stats.prefillTokens() + stats.decodeTokens()).isEqualTo(COMMON + 16 * (OWN + 2));
    assertThat(stats.reusedTokens()).isEqualTo(15 * COMMON);
    assertThat(stats.prefixHits()).isEqualTo(15);
    assertThat(recorded.getFirst().result().usage().cachedTokens()).isZero();
    assertThat(recorded.subList(1, 16))
        .allMatch(each -> each.result().usage().cachedTokens() == COMMON);
  }

  @ParameterizedTest
  @ValueSource(strings = {"oabb", "aaao", "oaba"})
  void theyAreWhereTheLeaderIsAwayToo(String nodes) {
    for (int groups = 1; groups <= 3; groups++) {
      WheelHarness harness =
          WheelHarness.spread(ROOMY.withRows(64, 24).withGroups(groups), nodes, groups);
      List<GenerationRequest> requests = alike(16);
      List<RecordingListener> recorded = submit(harness, requests);
      harness.turnAll();
      areAsAlone(requests, recorded);
      WheelStats stats = harness.wheel.stats();
      assertThat(stats.prefillTokens() + stats.decodeTokens()).isEqualTo(COMMON + 16 * (OWN + 2));
      assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
    }
  }

  @Test
  void followersHaveNotStartedAndEverySequenceStartsOnce() {
    WheelHarness harness = new WheelHarness(ROOMY.withRows(100, 40));
    List<RecordingListener> recorded = submit(harness, alike(8));
    harness.turn();
    assertThat(recorded).extracting(each -> each.begins).containsExactly(1, 0, 0, 0, 0, 0, 0, 0);
    harness.turnAll();
    assertThat(recorded).extracting(each -> each.begins).containsOnly(1);
  }

  @Test
  void withoutReuseNoSequenceFollows() {
    WheelHarness harness = new WheelHarness(ROOMY.withPrefixReuse(false).withRows(512, 128));
    List<GenerationRequest> requests = alike(16);
    List<RecordingListener> recorded = submit(harness, requests);
    harness.turn();
    // thirty-two rows for each
    assertThat(recorded).allMatch(each -> each.progress.equals(List.of(32)));
    harness.turnAll();
    areAsAlone(requests, recorded);
    assertThat(harness.wheel.stats().prefillTokens()).isEqualTo(16 * (COMMON + OWN));
    assertThat(harness.wheel.stats().reusedTokens()).isZero();
  }

  @Test
  void aCommonPrefixOfLessThanAPageIsNotFollowed() {
    WheelHarness harness = new WheelHarness(ROOMY);
    List<RecordingListener> recorded =
        submit(harness, List.of(request(prompt(31, 20), 2), request(prompt(31, 20), 2)));
    harness.turn();
    assertThat(recorded).allMatch(each -> each.tokens.size() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel", "release", "throw"})
  void whereTheLeaderLeavesTheNextGoesOnFromWhereItWas(String how) {
    WheelHarness harness = new WheelHarness(ROOMY.withRows(64, 16));
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
    Generation leader = harness.wheel.submit(requests.getFirst(), leading);
    List<RecordingListener> recorded = submit(harness, requests.subList(1, 5));
    harness.turn();
    broken[0] = how.equals("throw");
    harness.turn(); // 128 are computed
    switch (how) {
      case "cancel" -> leader.cancel();
      case "release" -> leader.release();
      default -> assertThat(leader.isDone()).isTrue();
    }
    harness.turn();
    assertThat(leader.isDone()).isTrue();
    assertThat(recorded.getFirst().progress).containsExactly(192);
    assertThat(recorded.get(1).progress).isEmpty();
    harness.turnAll();
    areAsAlone(requests.subList(1, 5), recorded);
    assertThat(harness.wheel.stats().prefillTokens()).isEqualTo(COMMON + 4 * OWN);
    assertThat(recorded.getFirst().result().usage().cachedTokens()).isEqualTo(128);
  }

  @Test
  void aCancelledFollowerLeavesNothingBehind() {
    WheelHarness harness = new WheelHarness(ROOMY.withRows(64, 16));
    List<GenerationRequest> requests = alike(3);
    List<RecordingListener> recorded = submit(harness, requests);
    harness.turn();
    harness.turn();
    recorded.get(1).generation.cancel();
    harness.turnAll();
    assertThat(recorded.get(1).result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(recorded.get(1).result().usage().cachedTokens()).isZero();
    isAsAlone(requests.get(2), recorded.get(2));
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
  }

  @Test
  void aFollowerKeepsItsSlotFromLaterSequences() {
    WheelHarness harness = new WheelHarness(ROOMY.withSequences(3).withRows(64, 64));
    RecordingListener leader = harness.submit(request(prompt(COMMON, OWN), 100));
    RecordingListener follower = harness.submit(request(prompt(COMMON, OWN), 2));
    RecordingListener other = harness.submit(request(prompt(0, 20), 100));
    RecordingListener last = harness.submit(request(prompt(0, 20), 2));
    harness.turn();
    // a later sequence with its own slot does not wait with it
    assertThat(other.tokens).hasSize(1);
    assertThat(harness.wheel.stats().admitted()).isEqualTo(3);
    last.onToken = () -> assertThat(follower.generation.isDone()).isTrue();
    harness.turnAll();
    assertThat(last.result().tokens()).hasSize(2);
    assertThat(leader.result().usage().cachedTokens()).isZero();
    assertThat(follower.result().usage().cachedTokens()).isEqualTo(COMMON);
  }

  @Test
  void aFollowerKeepsItsPagesFromLaterSequences() {
    // nine for the leader, nine reserved, of which the last would need three
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(22).withRows(64, 64));
    harness.submit(request(prompt(COMMON, OWN), 2));
    RecordingListener follower = harness.submit(request(prompt(COMMON, OWN), 2));
    RecordingListener last = harness.submit(request(prompt(0, 90), 2));
    harness.turn();
    assertThat(harness.wheel.stats().admitted()).isEqualTo(2);
    assertThat(harness.wheel.stats().pagesUsed()).isEqualTo(9);
    // two pages are shared, so two reservations are over
    harness.turn();
    assertThat(harness.wheel.stats().admitted()).isEqualTo(3);
    harness.turnAll();
    assertThat(follower.result().usage().preemptions()).isZero();
    assertThat(last.result().usage().preemptions()).isZero();
  }

  @Test
  void neededPagesAreTakenFromALaterFollower() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(13).withRows(128, 1));
    for (int i = 0; i < 3; i++) {
      harness.submit(request(prompt(0, 31), 50));
    }
    harness.turn();
    GenerationRequest request = request(prompt(64, 6), 3);
    RecordingListener leader = harness.submit(request);
    RecordingListener follower = harness.submit(request);
    harness.turnAll();
    assertThat(leader.result().usage().preemptions()).isZero();
    assertThat(follower.result().usage().preemptions()).isEqualTo(1);
    assertThat(follower.result().usage().cachedTokens()).isEqualTo(64);
    isAsAlone(request, follower);
  }

  @Test
  void followersOfFollowersFollowEachAsFarAsTheyShare() {
    WheelHarness harness = new WheelHarness(ROOMY.withRows(64, 64));
    int[] branch = prompt(COMMON / 2, COMMON / 2);
    int[] second = Arrays.copyOf(branch, COMMON + 5);
    int[] third = Arrays.copyOf(branch, COMMON + 20);
    Arrays.fill(second, COMMON, COMMON + 5, 3);
    Arrays.fill(third, COMMON, COMMON + 20, 4);
    List<GenerationRequest> requests =
        List.of(request(prompt(COMMON, OWN), 3), request(second, 3), request(third, 3));
    List<RecordingListener> recorded = submit(harness, requests);
    harness.turnAll();
    areAsAlone(requests, recorded);
    assertThat(recorded.get(1).result().usage().cachedTokens()).isEqualTo(COMMON / 2);
    assertThat(recorded.get(2).result().usage().cachedTokens()).isEqualTo(COMMON);
    assertThat(harness.wheel.stats().prefillTokens()).isEqualTo(COMMON + OWN + COMMON / 2 + 5 + 20);
  }

  @Test
  void aSequenceWithAStrongerClaimFollowsOneThatHasStarted() {
    WheelHarness harness = new WheelHarness(ROOMY.withRows(64, 16));
    List<GenerationRequest> requests = alike(2);
    RecordingListener leader = harness.submit(requests.get(0).withOrder(2));
    harness.turn();
    RecordingListener follower = harness.submit(requests.get(1).withOrder(1));
    harness.turnAll();
    areAsAlone(requests, List.of(leader, follower));
    assertThat(harness.wheel.stats().prefillTokens()).isEqualTo(COMMON + 2 * OWN);
  }

  @Test
  void noSequenceIsLaterByFollowing() {
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

  /** The turns in which each gets its first token. */
  private static int[] firstTokens(WheelSettings settings, List<GenerationRequest> requests) {
    WheelHarness harness = new WheelHarness(settings);
    List<RecordingListener> recorded = submit(harness, requests);
    int[] turns = new int[requests.size()];
    for (int turn = 1; harness.turn(); turn++) {
      for (int i = 0; i < turns.length; i++) {
        turns[i] = turns[i] == 0 && !recorded.get(i).tokens.isEmpty() ? turn : turns[i];
      }
    }
    return turns;
  }
}
