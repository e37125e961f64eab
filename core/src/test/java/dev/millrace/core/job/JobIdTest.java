package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobIdTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "1", "1700000000_1_2", "00001700000000000000_4711_000000", "1_2_3_4_5"})
  void digitsJoinedBySingleUnderscoresAreAnId(String text) {
    assertThat(JobId.isValid(text)).isTrue();
    assertThat(new JobId(text).toString()).isEqualTo(text);
    assertThat(JobId.parse(text)).contains(new JobId(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "_",
        "_1",
        "1_",
        "1__2",
        "a",
        "1a",
        "1_2_x",
        "-1",
        "+1",
        "1.5",
        "1 2",
        " 1",
        "1 ",
        "1\n",
        "..",
        ".",
        "../1",
        "1/2",
        "1\\2",
        "/etc/passwd",
        "1\0",
        "1%2f2",
        "~",
        "١٢٣",
        "１２",
        "1_٢",
        "0x10",
        "1e5",
        "null",
        "con",
        "\uFEFF1",
        "1\u200B"
      })
  void anythingElseIsRefused(String text) {
    assertThat(JobId.isValid(text)).isFalse();
    assertThat(JobId.parse(text)).isEmpty();
    assertThatThrownBy(() -> new JobId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("invalid job id");
  }

  @Test
  void anIdHasAtMost128Characters() {
    assertThat(JobId.isValid("1".repeat(128))).isTrue();
    assertThat(JobId.isValid("1".repeat(129))).isFalse();
    assertThatThrownBy(() -> new JobId("1".repeat(100_000)))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
  }

  @Test
  void theMessageOfARefusalStaysOnOneLine() {
    assertThatThrownBy(() -> new JobId("evil\nline")).hasMessageNotContaining("\n");
  }

  @Test
  void aMadeIdSortsAsTextTheWayItSortsByTime() {
    List<JobId> ids = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500; i++) {
      long micros = 1_700_000_000_000_000L + random.nextLong(4_000_000_000_000_000L);
      ids.add(JobId.of(micros, 4711, random.nextInt(1_000_000)));
    }
    Collections.sort(ids);
    assertThat(ids.stream().map(JobId::value)).isSorted();
    assertThat(ids.getFirst().value()).matches("\\d{20}_4711_\\d{6}");
  }

  @Test
  void shortAndLongIdsAreOrderedByTheTimeTheyMean() {
    JobId before = new JobId("1699999999_1_1");
    JobId made = JobId.of(1_700_000_000_000_000L, 1, 0);
    JobId sameSecond = new JobId("1700000000_1_1");
    JobId after = JobId.of(1_700_000_000_000_001L, 1, 0);
    JobId later = new JobId("1700000001_1_1");
    List<JobId> ids = new ArrayList<>(List.of(later, after, sameSecond, made, before));
    Collections.sort(ids);
    assertThat(ids).containsExactly(before, made, sameSecond, after, later);
    assertThat(sameSecond.micros()).isEqualTo(made.micros());
  }

  @Test
  void numbersAreComparedAsNumbers() {
    assertThat(new JobId("1700000000_9_1")).isLessThan(new JobId("1700000000_10_1"));
    assertThat(new JobId("1700000000_9_9")).isLessThan(new JobId("1700000000_9_10"));
    assertThat(new JobId("1700000000_9")).isLessThan(new JobId("1700000000_9_1"));
  }

  @Test
  void theOrderAgreesWithEquality() {
    List<JobId> odd =
        List.of(
            new JobId("7"),
            new JobId("07"),
            new JobId("7_0"),
            new JobId("7_0_0"),
            new JobId("7_0_0_0"),
            new JobId("9".repeat(128)),
            new JobId("9".repeat(127)));
    for (JobId a : odd) {
      for (JobId b : odd) {
        assertThat(a.compareTo(b) == 0).isEqualTo(a.equals(b));
        assertThat(Integer.signum(a.compareTo(b))).isEqualTo(-Integer.signum(b.compareTo(a)));
      }
    }
  }

  @Test
  void partsThatDoNotFitAreTheLargest() {
    JobId id = new JobId("9223372036854775807_9223372036854775808_5");
    assertThat(id.part(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(id.part(1)).isEqualTo(Long.MAX_VALUE);
    assertThat(id.part(2)).isEqualTo(5);
    assertThat(id.part(3)).isZero();
    assertThat(id.micros()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void theTimeIsReadInSecondsOrMicroseconds() {
    assertThat(new JobId("999999999999_1").micros()).isEqualTo(999_999_999_999_000_000L);
    assertThat(new JobId("1000000000000_1").micros()).isEqualTo(1_000_000_000_000L);
    assertThat(JobId.of(1_700_000_000_123_456L, 9, 42).micros()).isEqualTo(1_700_000_000_123_456L);
    assertThat(JobId.of(1_700_000_000_123_456L, 9, 42).part(1)).isEqualTo(9);
    assertThat(JobId.of(1_700_000_000_123_456L, 9, 42).part(2)).isEqualTo(42);
  }
}
