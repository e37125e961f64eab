package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.text.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Disks that are full or wrong, stopped fetches, and two fetches into one cache. */
final class ModelFetchDiskTest extends ModelFetchFixture {
  @Test
  void aFullDiskIsReportedBeforeAnythingIsFetched() throws IOException {
    LoopbackPeers.Answering peer = honest("a");
    FetchDisk full = disk(Long.MAX_VALUE, 7L << 20);
    assertThatThrownBy(() -> fetch(full, peer.peer()).run())
        .isInstanceOf(ClusterException.class)
        .hasMessageContainingAll("no room for org/m.gguf", "20 MB more are needed", "7 MB free");
    assertThat(peer.sent().get()).isLessThan(WORDS);
  }

  @Test
  void aDiskThatGetsFullKeepsWhatItHas() throws IOException {
    LoopbackPeers.Answering peer = honest("a");
    assertThatThrownBy(() -> fetch(disk(3L * CHUNK + 99, Long.MAX_VALUE), peer.peer()).run())
        .isInstanceOf(ClusterException.class)
        .hasMessageContainingAll("cannot be kept", "No space left on device");
    LoopbackPeers.Answering later = honest("b");
    isThere(run(later.peer()));
    assertThat(later.sent().get()).isBetween(2L * CHUNK - 1_000, 2L * CHUNK + WORDS);
  }

  @Test
  void bytesThatRotBeforeTheEndAreFetchedAgain() throws IOException {
    LoopbackPeers.Answering peer = honest("a");
    AtomicInteger writes = new AtomicInteger();
    FetchDisk rotting =
        new FetchDisk() {
          @Override
          public void write(Path file, long position, ByteBuffer data) throws IOException {
            int start = data.position();
            FetchDisk.REAL.write(file, position, data);
            if (writes.incrementAndGet() == 2) {
              FetchDisk.REAL.write(
                  file, position, ByteBuffer.wrap(new byte[] {(byte) ~data.get(start)}));
            }
          }

          @Override
          public long usable(Path directory) {
            return Long.MAX_VALUE;
          }
        };
    isThere(fetch(rotting, peer.peer()).run());
    assertThat(writes).hasValue(6);
  }

  @Test
  void aStoppedFetchContinuesWhereItEnded() throws IOException {
    for (int after = 1; after <= 4; after++) {
      LoopbackPeers.Answering peer = honest("p" + after);
      ModelFetch[] fetch = new ModelFetch[1];
      FetchDisk stopping =
          new FetchDisk() {
            @Override
            public void write(Path file, long position, ByteBuffer data) throws IOException {
              FetchDisk.REAL.write(file, position, data);
              fetch[0].stop();
            }

            @Override
            public long usable(Path directory) {
              return Long.MAX_VALUE;
            }
          };
      fetch[0] = fetch(stopping, peer.peer());
      assertThatThrownBy(() -> fetch[0].run()).hasMessageContaining("was stopped");
      assertThat(fetch[0].verifiedBytes()).isEqualTo((long) after * CHUNK);
    }
    LoopbackPeers.Answering last = honest("last");
    isThere(run(last.peer()));
    assertThat(last.sent().get()).isLessThan(CHUNK + WORDS);
  }

  @Test
  void onlyChunksDamagedBetweenTwoFetchesAreFetchedAgain() throws IOException {
    assertThatThrownBy(() -> fetch(disk(4L * CHUNK, Long.MAX_VALUE), honest("a").peer()).run())
        .hasMessageContaining("No space");
    Path part = dir.resolve("cache").resolve(wanted.sha256() + ".part");
    Path data = part.resolve(".files/model-" + wanted.sha256().substring(0, 8) + ".gguf");
    try (FileChannel file = FileChannel.open(data, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(HexFormat.of().parseHex("00112233")), CHUNK + 5);
    }
    LoopbackPeers.Answering later = honest("b");
    isThere(run(later.peer()));
    assertThat(later.sent().get()).isBetween(2L * CHUNK - 1_000, 2L * CHUNK + WORDS);
  }

  @RepeatedTest(8) // their ends race
  void ofTwoFetchesIntoOneCacheTheSecondWaitsAndFetchesNothing() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch waits = new CountDownLatch(1);
    ModelSource first = gated(asked, go);
    LoopbackPeers.Answering other = honest("b");
    ModelStore neighbour = store("cache");
    CompletableFuture<Path> one = later(() -> run(first));
    assertThat(await(asked)).isTrue();
    ModelFetch second =
        new ModelFetch(
            neighbour,
            wanted,
            new ModelFetch.Sources(lines, () -> List.of(other.peer())),
            FetchDisk.REAL,
            LIMITS,
            words -> {
              assertThat(words).contains("another process with this cache");
              waits.countDown();
            });
    CompletableFuture<Path> two = later(second::run);
    assertThat(await(waits)).isTrue();
    assertThat(two).isNotDone();
    go.countDown();
    Path fetched = one.get(60, TimeUnit.SECONDS);
    assertThat(two.get(60, TimeUnit.SECONDS)).isEqualTo(fetched);
    assertThat(other.sent().get()).isZero();
    assertThat(neighbour.hashes()).containsExactly(wanted.sha256());
    try (var all = Files.list(dir.resolve("cache"))) {
      assertThat(all.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("hashes", fetched.getFileName().toString());
    }
  }

  @Test
  void aFetchThatWaitsForAnotherCanBeStopped() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ModelSource first = gated(asked, go);
    CompletableFuture<Path> one = later(() -> run(first));
    assertThat(await(asked)).isTrue();
    ModelFetch[] second = new ModelFetch[1];
    second[0] =
        new ModelFetch(
            store("cache"),
            wanted,
            new ModelFetch.Sources(lines, () -> List.of(first)),
            FetchDisk.REAL,
            LIMITS,
            words -> second[0].stop());
    assertThatThrownBy(() -> second[0].run()).hasMessageContaining("was stopped");
    go.countDown();
    isThere(one.get(60, TimeUnit.SECONDS));
  }

  @Test
  void aModelThatAnotherProcessFetchedIsFoundWithoutAnyPeer() throws IOException {
    ModelStore neighbour = store("cache");
    Awaitility.await().until(() -> neighbour.hashingProgress().isEmpty());
    Path fetched = run(honest("a").peer());
    assertThat(neighbour.find(wanted.sha256())).as("it has not looked since").isEmpty();
    target = neighbour;
    assertThat(run()).isEqualTo(fetched);
    isThere(fetched);
  }

  @Test
  void aCacheThatCannotBeCreatedIsRefusedWithAReason() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "x");
    assertThatThrownBy(() -> ModelStore.open(List.of(), file.resolve("cache"), () -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the model cache cannot be created: ")
        .hasMessageNotContaining("Exception");
    assertThat(FileErrors.of(new NoSuchFileException("/x"))).isEqualTo("/x does not exist");
    assertThat(FileErrors.of(new AccessDeniedException("/x")))
        .isEqualTo("this user has no access to /x");
  }
}
