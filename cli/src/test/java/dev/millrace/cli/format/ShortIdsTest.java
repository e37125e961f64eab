package dev.millrace.cli.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Short ids are parts of their ids, and no other listed id has them. */
class ShortIdsTest {
  private static List<String> shortened(String... ids) {
    List<JobId> listed = Stream.of(ids).map(JobId::new).toList();
    ShortIds shortIds = new ShortIds(listed);
    return listed.stream().map(shortIds::of).toList();
  }

  @Test
  void theLastDigitsOfTheTimeAreEnoughIfNoOtherIdHasThem() {
    assertThat(shortened("00001763374495123456_12345_000001", "00001763374495123457_12345_000002"))
        .containsExactly("95123456", "95123457");
    assertThat(shortened("1736700000_12345_0")).containsExactly("36700000");
    assertThat(shortened("12345_1_0", "7")).containsExactly("12345_1_0", "7");
  }

  @Test
  void idsThatShareTheirLastDigitsGetMore() {
    assertThat(shortened("00001763374495123456_1_000001", "00001763370095123456_1_000002"))
        .containsExactly("374495123456", "370095123456");
    assertThat(shortened("00001763374495123456_1_000001", "00001763374495123456_1_000002"))
        .containsExactly("00001763374495123456_1_000001", "00001763374495123456_1_000002");
    assertThat(shortened("1736700000_12345_0", "1736700000_12345_1"))
        .containsExactly("1736700000_12345_0", "1736700000_12345_1");
  }

  @Test
  void digitsInAnotherPlaceOfAnotherIdCount() {
    assertThat(shortened("00001763374400017633_1_000001", "00001111100017633744_1_000002"))
        .containsExactly("374400017633", "100017633744");
  }

  @Test
  void noShortIdIsAPartOfAnotherListedId() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<JobId> ids =
        random
            .longs(300, 1_763_374_495_000_000L, 1_763_374_495_000_200L)
            .mapToObj(micros -> JobId.of(micros, 7, random.nextInt(1_000_000)))
            .distinct()
            .toList();
    ShortIds shortIds = new ShortIds(ids);
    for (JobId id : ids) {
      assertThat(ids.stream().filter(other -> other.value().contains(shortIds.of(id))))
          .as("seed %d", seed)
          .containsExactly(id);
    }
  }
}
