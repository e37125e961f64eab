package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Peers that are lost, lie, disagree or are slow. */
final class ModelFetchPeersTest extends ModelFetchFixture {
  @Test
  void aPeerThatIsLostIsFollowedByAnotherThatSendsOnlyTheRest() throws IOException {
    LoopbackPeers.Answering lost = breaking("a", 2L * CHUNK + WORDS);
    LoopbackPeers.Answering other = honest("b");
    isThere(run(lost.peer(), other.peer()));
    assertThat(other.sent().get()).isBetween(3L * CHUNK - 1_000, 3L * CHUNK + WORDS);
  }

  @Test
  void aPeerThatBreaksAgainAndAgainIsUsedAsLongAsItBringsSomething() throws IOException {
    isThere(run(breaking("a", CHUNK + WORDS).peer()));
  }

  @Test
  void aPeerThatNeverBringsAChunkIsGivenUpWithItsReason() throws IOException {
    ModelSource broken = breaking("a", 100).peer();
    ModelSource empty =
        lines.peer("b", new ModelServer(store("empty"), 10, System::nanoTime)).peer();
    ModelSource nobody = new ModelSource("c", new HostPort("127.0.0.1", 1));
    assertThatThrownBy(() -> run(broken, empty, nobody))
        .isInstanceOf(ClusterException.class)
        .hasMessageContainingAll(
            "no node could give", "a: it ended the call", "b: this node does not have model", "c: ")
        .hasMessageContaining("org/m.gguf");
    assertThatThrownBy(this::run).hasMessageContaining("no node has the file of org/m.gguf");
  }

  @Test
  void aWrongChunkIsNotKeptAndItsPeerIsNotAskedAgain() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    LoopbackPeers.Answering faultyPeer =
        changing(
            "a",
            (bytes, from, offset, length) -> {
              calls.addAndGet(from == 0 ? 1 : 0);
              if (from < 2L * CHUNK && from + length > CHUNK + 5_000) {
                bytes[length - 1] ^= 1;
              }
            });
    LoopbackPeers.Answering other = honest("b");
    isThere(run(faultyPeer.peer(), other.peer()));
    assertThat(calls).hasValue(1);
    assertThat(other.sent().get())
        .as("the first chunk was right")
        .isLessThan(wanted.bytes() - CHUNK + WORDS);
    assertThatThrownBy(
            () -> {
              target.close();
              target = store("other-cache");
              run(faultyPeer.peer());
            })
        .hasMessageContaining("a: chunk 1 does not have the hash that it announced");
  }

  @Test
  void chunkHashesThatFitAnotherFileAreFoundOutAndTheRightBytesKept() throws IOException {
    // It has a file of the same size that differs in its third chunk, and says it is this one.
    byte[] bytes = Files.readAllBytes(model);
    bytes[2 * CHUNK + 77] ^= 1;
    Path forged = Files.write(dir.resolve("forged.gguf"), bytes);
    ModelSource faultyPeer = lying(forged).peer();
    LoopbackPeers.Answering other = honest("b");
    isThere(run(faultyPeer, other.peer()));
    assertThat(other.sent().get()).as("one chunk only").isBetween((long) CHUNK, CHUNK + WORDS);
  }

  @Test
  void aPeerThatDisagreesIsAskedAfterThoseThatAgree() throws IOException {
    byte[] bytes = Files.readAllBytes(model);
    Arrays.fill(bytes, (byte) 3);
    LoopbackPeers.Answering faultyPeer = lying(Files.write(dir.resolve("forged.gguf"), bytes));
    ModelSource first = breaking("a", CHUNK + WORDS).peer();
    ModelSource last = honest("c").peer();
    AtomicInteger round = new AtomicInteger();
    ModelFetch fetch =
        new ModelFetch(
            target,
            wanted,
            new ModelFetch.Sources(
                lines,
                () ->
                    round.getAndIncrement() == 0
                        ? List.of(first)
                        : List.of(faultyPeer.peer(), last)),
            FetchDisk.REAL,
            LIMITS,
            words -> {});
    isThere(fetch.run());
    assertThat(faultyPeer.sent().get()).as("it only told its hashes").isLessThan(WORDS);
  }

  @Test
  void sizesThatDoNotFitAreRefused() throws IOException {
    isRefused("not part of the protocol", out -> out.writeByte(77));
    isRefused("in chunks of", out -> header(out, 1 << 30, 1));
    isRefused("-1 files", out -> header(out, CHUNK, -1));
    isRefused(Integer.MAX_VALUE + " files", out -> header(out, CHUNK, Integer.MAX_VALUE));
    isRefused("but the model has", out -> header(out, CHUNK, 1, wanted.bytes() - 1));
    isRefused("but the model has", out -> header(out, CHUNK, 1, Long.MAX_VALUE));
    isRefused("but the model has", out -> header(out, CHUNK, 1, -5));
    isRefused("but the model has", out -> header(out, CHUNK, 2, wanted.bytes(), wanted.bytes()));
    isRefused("but the model has", out -> header(out, CHUNK, 2, 0, wanted.bytes()));
  }

  @Test
  void aPeerThatSendsWithoutEndIsCutOff() throws IOException {
    ChunkHashes chunks = source.known(wanted.sha256()).orElseThrow().chunks();
    AtomicLong sent = new AtomicLong();
    CountDownLatch cut = new CountDownLatch(1);
    LoopbackPeers.Answering endless =
        lines.peer(
            "x",
            (from, in, out) -> {
              in.readNBytes(Sha256Hash.BYTES);
              out.writeByte(ModelServer.HAVE);
              chunks.write(out);
              out.writeByte(ModelServer.CHUNK);
              out.writeInt(Integer.MAX_VALUE);
              try {
                for (byte[] bytes = new byte[65_536]; ; sent.addAndGet(bytes.length)) {
                  out.write(bytes);
                }
              } finally {
                cut.countDown();
              }
            });
    assertThatThrownBy(() -> run(endless.peer()))
        .hasMessageContaining("chunk 0 has " + CHUNK + " bytes, but it sends " + Integer.MAX_VALUE);
    assertThat(await(cut)).isTrue();
    assertThat(sent.get()).isLessThan(64L << 20);
  }

  @Test
  void aPeerThatSendsByteByByteIsTooSlow() throws IOException {
    AtomicLong clock = new AtomicLong();
    ChunkHashes chunks = source.known(wanted.sha256()).orElseThrow().chunks();
    ModelSource slow =
        lines
            .peer(
                "x",
                (from, in, out) -> {
                  in.readNBytes(Sha256Hash.BYTES);
                  out.writeByte(ModelServer.HAVE);
                  chunks.write(out);
                  out.writeByte(ModelServer.CHUNK);
                  out.writeInt(chunks.length(0));
                  for (int i = 0; i < chunks.length(0); i++) {
                    out.writeByte(0);
                    out.flush();
                  }
                })
            .peer();
    ModelFetch.Limits limits =
        new ModelFetch.Limits(
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ZERO,
            Duration.ofMillis(1),
            1,
            () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(1)));
    ModelFetch fetch =
        new ModelFetch(
            target,
            wanted,
            new ModelFetch.Sources(lines, () -> List.of(slow)),
            FetchDisk.REAL,
            limits,
            words -> {});
    assertThatThrownBy(fetch::run).hasMessageContaining("a chunk takes longer than PT5S");
  }

  @Test
  void aPeerThatBecomesKnownALittleLaterIsAwaited() throws IOException {
    ModelSource late = honest("a").peer();
    AtomicInteger asked = new AtomicInteger();
    AtomicLong clock = new AtomicLong();
    ModelFetch.Limits limits =
        new ModelFetch.Limits(
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            Duration.ofMillis(1),
            3,
            clock::get);
    Supplier<List<ModelSource>> none =
        () -> {
          asked.incrementAndGet();
          clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
          return List.of();
        };
    ModelFetch.Sources noSources = new ModelFetch.Sources(lines, none);
    ModelFetch inVain =
        new ModelFetch(target, wanted, noSources, FetchDisk.REAL, limits, words -> {});
    assertThatThrownBy(inVain::run).hasMessageContaining("no node has the file of org/m.gguf");
    assertThat(asked).as("at once, and for 6 s").hasValue(4);
    Supplier<List<ModelSource>> third =
        () -> {
          none.get();
          return asked.get() == 7 ? List.of(late) : List.of();
        };
    ModelFetch.Sources lateSource = new ModelFetch.Sources(lines, third);
    isThere(new ModelFetch(target, wanted, lateSource, FetchDisk.REAL, limits, words -> {}).run());
  }

  @Test
  void morePartsThanAModelHasAreRefusedAndMakeNoFile() throws IOException {
    isRefused("1025 files", out -> header(out, CHUNK, 1025));
    // As many as may be: none is made before a chunk of it is here.
    long[] parts = new long[ChunkHashes.MOST_PARTS];
    Arrays.fill(parts, 1);
    parts[0] = wanted.bytes() - parts.length + 1;
    int hashes = Math.ceilDiv((int) wanted.bytes(), CHUNK) * Sha256Hash.BYTES;
    isRefused(
        "not part of the protocol",
        out -> {
          header(out, CHUNK, parts.length, parts);
          out.write(new byte[hashes]);
          out.writeByte(77);
        });
  }
}
