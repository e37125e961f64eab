package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelStoreTest {
  @TempDir Path dir;

  private ModelStore open(Runnable changed, Path... places) {
    return ModelStore.open(List.of(places), dir.resolve("cache"), changed);
  }

  @Test
  void filesAndDirectoriesAreHashedInTheBackground() throws IOException {
    Path one = ModelFilesForTests.write(dir.resolve("one.gguf"), 5_000_000, 1);
    List<Path> split = ModelFilesForTests.split(dir.resolve("many"), "s", 3, 3_000_000);
    Path other = ModelFilesForTests.write(dir.resolve("many/other.gguf"), 100, 2);
    AtomicInteger changes = new AtomicInteger();
    try (ModelStore store = open(changes::incrementAndGet, one, dir.resolve("many"))) {
      await().until(() -> store.hashingProgress().isEmpty());
      assertThat(store.hashes())
          .containsExactlyInAnyOrder(
              ModelFilesForTests.sha256(List.of(one)),
              ModelFilesForTests.sha256(split),
              ModelFilesForTests.sha256(List.of(other)));
      assertThat(store.find(ModelFilesForTests.sha256(split))).hasValue(split.getFirst());
      assertThat(store.find("00".repeat(32))).isEmpty();
      assertThat(changes).hasValue(3);
      assertThat(store.sha256(split.get(2))).isEqualTo(ModelFilesForTests.sha256(split));
    }
  }

  @Test
  void anErrorAtOneModelLeavesTheOthers() throws IOException {
    Path one = ModelFilesForTests.write(dir.resolve("one.gguf"), 5_000, 1);
    Path two = ModelFilesForTests.write(dir.resolve("two.gguf"), 5_000, 2);
    AtomicInteger changes = new AtomicInteger();
    Runnable failingOnce =
        () -> {
          if (changes.incrementAndGet() == 1) {
            throw new StackOverflowError("simulated");
          }
        };
    try (ModelStore store = open(failingOnce, one, two)) {
      await().until(() -> store.hashingProgress().isEmpty());
      assertThat(store.find(ModelFilesForTests.sha256(List.of(two)))).hasValue(two);
    }
  }

  @Test
  void aHashIsKeptForTheNextStart() throws IOException {
    Path one = ModelFilesForTests.write(dir.resolve("one.gguf"), 5_000, 1);
    String sha256;
    try (ModelStore store = open(() -> {})) {
      sha256 = store.sha256(one);
    }
    // Other bytes under the same size, time and identity: a reader sees the difference.
    FileTime time = Files.getLastModifiedTime(one);
    byte[] bytes = Files.readAllBytes(one);
    bytes[bytes.length - 1] ^= 1;
    Files.write(one, bytes);
    Files.setLastModifiedTime(one, time);
    try (ModelStore store = open(() -> {})) {
      assertThat(store.sha256(one)).isEqualTo(sha256);
      Files.setLastModifiedTime(one, FileTime.fromMillis(1));
      assertThat(store.sha256(one))
          .isEqualTo(ModelFilesForTests.sha256(List.of(one)))
          .isNotEqualTo(sha256);
    }
  }

  @Test
  void aDamagedIndexIsAsGoodAsNone() throws IOException {
    Path one = ModelFilesForTests.write(dir.resolve("one.gguf"), 5_000, 1);
    String sha256 = ModelFilesForTests.sha256(List.of(one));
    Path index = dir.resolve("cache/hashes");
    byte[] good;
    Path entry;
    try (ModelStore store = open(() -> {})) {
      store.sha256(one);
    }
    try (var entries = Files.list(index)) {
      entry = entries.findFirst().orElseThrow();
    }
    good = Files.readAllBytes(entry);
    for (int at = 0; at < good.length; at += 7) {
      byte[] bad = good.clone();
      bad[at] ^= 0x10;
      Files.write(entry, bad);
      assertThat(new HashCache(index).find(List.of(one))).as("byte %d", at).isEmpty();
      Files.write(entry, Arrays.copyOf(good, at));
      assertThat(new HashCache(index).find(List.of(one))).as("length %d", at).isEmpty();
    }
    try (ModelStore store = open(() -> {})) {
      assertThat(store.sha256(one)).isEqualTo(sha256);
    }
    assertThat(Files.readAllBytes(entry)).isEqualTo(good);
  }

  @Test
  void aFileThatChangesIsForgottenAndReadAgain() throws IOException {
    Path one = ModelFilesForTests.write(dir.resolve("one.gguf"), 5_000, 1);
    try (ModelStore store = open(() -> {}, one)) {
      String before = store.sha256(one);
      ModelFilesForTests.write(one, 6_000, 2);
      assertThat(store.find(before)).isEmpty();
      String now = ModelFilesForTests.sha256(List.of(one));
      await().until(() -> store.hashes().equals(List.of(now)));
      Files.delete(one);
      assertThat(store.find(now)).isEmpty();
      assertThat(store.hashes()).isEmpty();
    }
  }

  @Test
  void partialModelsThatNobodyContinuesAreRemovedAfterAWeek() throws IOException {
    Path cache = dir.resolve("cache");
    Path old = begun(cache, "ab".repeat(32) + ".part");
    Path fresh = begun(cache, "cd".repeat(32) + ".part");
    Path locked = begun(cache, "ef".repeat(32) + ".part");
    Path foreign = begun(cache, "mine.part");
    age(old);
    age(foreign);
    try (var lock = PartialModelDirectory.openLock(locked)) {
      assertThat(PartialModelDirectory.tryLock(lock)).isTrue();
      age(locked);
      try (ModelStore store = open(() -> {})) {
        assertThat(store.hashes()).isEmpty();
        assertThat(old).doesNotExist();
        assertThat(List.of(fresh, locked, foreign))
            .allSatisfy(path -> assertThat(path.resolve(".files/model-1.gguf")).exists());
      }
    }
  }

  private static Path begun(Path cache, String name) throws IOException {
    Path directory = cache.resolve(name);
    Files.createDirectories(directory.resolve(".files"));
    Files.writeString(directory.resolve(".files/model-1.gguf"), "some");
    Files.writeString(directory.resolve("chunks"), "some");
    return directory;
  }

  private static void age(Path directory) throws IOException {
    FileTime then = FileTime.from(Instant.now().minus(StaleDownloads.KEPT).minusSeconds(60));
    try (var all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        Files.setLastModifiedTime(path, then);
      }
    }
  }

  @Test
  void aFileThatIsNoModelIsNamedInTheError() throws IOException {
    Path text = Files.writeString(dir.resolve("text.gguf"), "hello");
    try (ModelStore store = open(() -> {}, text, dir.resolve("nowhere"))) {
      assertThatThrownBy(() -> store.sha256(text))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("text.gguf");
      await().until(() -> store.hashingProgress().isEmpty());
      assertThat(store.hashes()).isEmpty();
    }
  }
}
