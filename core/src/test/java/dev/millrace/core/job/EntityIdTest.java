package dev.millrace.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntityIdTest {
  /** The first time that is hashed: the 52 bits of a time start with four ones. */
  private static final long HASHED = 0xFL << 48;

  /** Smaller ids are read as seconds; we never make them. */
  private static final long FIRST = 1_000_000_000_000L;

  private static JobId random(SplittableRandom random) {
    return JobId.of(
        random.nextLong(FIRST, HASHED), random.nextLong(1L << 22), random.nextInt(1_000_000));
  }

  private static EntityId entity(SplittableRandom random) {
    int stage = random.nextInt(1_001);
    return new EntityId(random(random), stage, stage == 0 ? 0 : random.nextInt(200_001));
  }

  private static void assertRoundTrip(EntityId id, String as) {
    UUID uuid = id.uuid();
    assertThat(uuid.version()).as(as).isEqualTo(8);
    assertThat(uuid.variant()).as(as).isEqualTo(2);
    assertThat(EntityId.isOurs(uuid)).as(as).isTrue();
    assertThat(EntityId.isHashed(uuid)).as(as).isFalse();
    assertThat(EntityId.of(uuid)).as(as).contains(id);
    assertThat(EntityId.of(uuid, id.job())).as(as).contains(id);
    assertThat(EntityId.parse(id.toString())).as(as).contains(uuid);
  }

  @Test
  void anyIdOfOursIsReadBackFromItsUuid() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      EntityId id = entity(random);
      assertRoundTrip(id, "seed " + seed + ": " + id);
    }
  }

  @Test
  void theEndsOfEveryFieldFit() {
    for (long time : new long[] {FIRST, 1_700_000_000_000_000L, 1L << 51, HASHED - 1}) {
      for (long process : new long[] {0, 1, (1 << 14) - 1, 1 << 14, (1 << 22) - 1}) {
        for (int counter : new int[] {0, 1, 999_999}) {
          JobId job = JobId.of(time, process, counter);
          for (int[] at :
              new int[][] {{0, 0}, {1, 0}, {1, 1}, {1_000, 200_000}, {1_023, 262_143}}) {
            EntityId id = new EntityId(job, at[0], at[1]);
            assertRoundTrip(id, id.toString());
          }
        }
      }
    }
  }

  @Test
  void theTextIsPartOfTheFormat() {
    JobId job = JobId.of(0xABCDE_F0123_456L, 0x2A5A5A, 0x54321);
    assertThat(new EntityId(job, 3, 5).toString())
        .isEqualTo("abcdef01-2345-86a9-9a5a-5432100c0005");
    assertThat(EntityId.of(job).toString()).isEqualTo("abcdef01-2345-86a9-9a5a-543210000000");
  }

  @Test
  void textsSortAsTheIdsDo() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<EntityId> ids = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      EntityId id = entity(random);
      ids.add(id);
      // Neighbours differ in one field only.
      ids.add(EntityId.of(JobId.of(id.job().part(0), id.job().part(1), random.nextInt(1_000_000))));
      ids.add(EntityId.of(JobId.of(id.job().part(0), random.nextLong(1L << 22), 7)));
      ids.add(new EntityId(id.job(), 1 + random.nextInt(1_000), random.nextInt(200_001)));
    }
    ids.sort(
        java.util.Comparator.comparing(EntityId::job)
            .thenComparing(EntityId::stage)
            .thenComparing(EntityId::task));
    List<String> texts = ids.stream().map(EntityId::toString).toList();
    assertThat(texts).as("seed %s", seed).isSorted();
  }

  @Test
  void differentThingsHaveDifferentNames() {
    JobId job = JobId.of(1_700_000_000_000_000L, 42, 1);
    Set<String> names = new HashSet<>();
    for (int stage = 0; stage <= 1_000; stage++) {
      assertThat(names.add(EntityId.of(job, stage).toString())).isTrue();
      assertThat(stage == 0 || names.add(new EntityId(job, stage, stage).toString())).isTrue();
    }
    assertThat(EntityId.of(job)).isEqualTo(EntityId.of(job, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1700000000_42_1",
        "1",
        "1700000000000000_42_000001",
        "00001700000000000000_42_1",
        "00001700000000000000_042_000001",
        "00001700000000000000_42_000001_5",
        "00001700000000000000_42",
        "00001700000000000000_4194304_000001",
        "00001700000000000000_42_1000000",
        "00004222124650659840_1_000001",
        "99999999999999999999999999_1_000001",
        "00001700000000000000_99999999999999999999_000001"
      })
  void anIdThatDoesNotFitIsHashed(String text) {
    JobId job = new JobId(text);
    EntityId id = new EntityId(job, 7, 9);
    assertThat(EntityId.isOurs(id.uuid())).isTrue();
    assertThat(EntityId.isHashed(id.uuid())).isTrue();
    assertThat(EntityId.of(id.uuid())).as("the job must be looked for").isEmpty();
    assertThat(EntityId.of(id.uuid(), job)).contains(id);
    assertThat(EntityId.of(id.uuid(), new JobId("1700000000_42_2"))).isEmpty();
    assertThat(EntityId.of(EntityId.of(job).uuid(), job)).contains(EntityId.of(job));
    assertThat(id).isEqualTo(new EntityId(new JobId(text), 7, 9));
  }

  @Test
  void hashesOfManyIdsDiffer() {
    Set<UUID> hashes = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      assertThat(hashes.add(EntityId.of(new JobId("1700000000_42_" + i)).uuid())).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"-1,0", "0,1", "0,-1", "1024,0", "1,262144", "1,-1"})
  void numbersOutOfRangeAreRefused(int stage, int task) {
    JobId job = JobId.of(1_700_000_000_000_000L, 42, 1);
    assertThatThrownBy(() -> new EntityId(job, stage, task))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1-1-1-1-1",
        "x",
        "abcdef01-2345-86a9-9a5a-5432100c000",
        "abcdef01-2345-86a9-9a5a-5432100c00055",
        "abcdef0123458 6a99a5a5432100c0005",
        "abcdef01234586a99a5a5432100c0005",
        "abcdef01-2345-86a9-9a5a-5432100c000g",
        "{abcdef01-2345-86a9-9a5a-5432100c0005}",
        "abcdef01-2345-86a9-9a5a-5432100c0005\n",
        "abcdef01-2345-86a9-9a5a_5432100c0005"
      })
  void textThatIsNotAUuidIsNotRead(String text) {
    assertThat(EntityId.parse(text)).isEmpty();
  }

  @Test
  void aUuidMayBeInUpperCase() {
    assertThat(EntityId.parse("ABCDEF01-2345-86A9-9A5A-5432100C0005"))
        .contains(UUID.fromString("abcdef01-2345-86a9-9a5a-5432100c0005"));
  }

  @Test
  void aUuidOfAnotherKindNamesNothing() {
    assertThat(EntityId.of(new UUID(0, 0))).isEmpty();
    assertThat(EntityId.of(new UUID(-1, -1))).isEmpty();
    for (int i = 0; i < 100; i++) {
      UUID other = UUID.randomUUID();
      assertThat(EntityId.isOurs(other)).isFalse();
      assertThat(EntityId.isHashed(other)).isFalse();
      assertThat(EntityId.of(other)).isEmpty();
    }
    UUID ours = EntityId.of(JobId.of(1_700_000_000_000_000L, 42, 1)).uuid();
    assertThat(
            EntityId.of(
                new UUID(ours.getMostSignificantBits(), ours.getLeastSignificantBits() | 1)))
        .as("a task without a stage")
        .isEmpty();
    long counter = 0xFFFFFL << 28;
    assertThat(
            EntityId.of(
                new UUID(ours.getMostSignificantBits(), ours.getLeastSignificantBits() | counter)))
        .as("a counter that no id has")
        .isEmpty();
  }

  @Test
  void anyUuidOfOurVersionIsReadBackOrRefused() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      long most = random.nextLong() & ~0xF000L | 0x8000L;
      long least = random.nextLong() >>> 2 | 1L << 63;
      UUID uuid = new UUID(most, least);
      EntityId.of(uuid).ifPresent(id -> assertThat(id.uuid()).as("seed %s", seed).isEqualTo(uuid));
    }
  }
}
