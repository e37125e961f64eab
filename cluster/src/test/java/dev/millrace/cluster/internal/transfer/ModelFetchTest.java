package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.text.FileErrors;
import dev.millrace.engine.internal.gguf.Gguf;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFetchTest {
  private static final int CHUNK = ChunkHashes.SIZE;

  /** What a call costs beside chunks: hashes and words. */
  private static final long WORDS = 4_096;

  private static final ModelFetch.Limits LIMITS =
      new ModelFetch.Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ZERO,
          Duration.ofMillis(1),
          3,
          System::nanoTime);

  @TempDir Path dir;
  private final LoopbackPeers lines = new LoopbackPeers();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Path model;
  private ModelFetch.WantedModel wanted;
  private ModelStore source;
  private ModelStore target;

  @BeforeEach
  void write() throws IOException {
    model = ModelFilesForTests.write(dir.resolve("source/m.gguf"), 5 * CHUNK - 1_000, 1);
    source = store("source-cache");
    target = store("cache");
    wanted = new ModelFetch.WantedModel(source.sha256(model), "org/m.gguf", Files.size(model));
  }

  @AfterEach
  void close() throws Exception {
    lines.close();
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private ModelStore store(String cache) {
    ModelStore store = ModelStore.open(List.of(), dir.resolve(cache), () -> {});
    open.add(store);
    return store;
  }

  private ModelFetch fetch(FetchDisk disk, ModelSource... peers) {
    return new ModelFetch(target, wanted, lines, () -> List.of(peers), disk, LIMITS, words -> {});
  }

  private Path run(ModelSource... peers) {
    return fetch(FetchDisk.REAL, peers).run();
  }

  private LoopbackPeers.Answering honest(String name) throws IOException {
    return lines.peer(name, new ModelServer(source, 10, System::nanoTime));
  }

  /** An honest peer whose bytes somebody changes: {@code change} gets them with their place. */
  private interface Change {
    void of(byte[] bytes, long from, int offset, int length) throws IOException;
  }

  private LoopbackPeers.Answering changing(String name, Change change) throws IOException {
    ModelServer server = new ModelServer(source, 10, System::nanoTime);
    CallHandler handler =
        (from, in, out) -> {
          AtomicLong at = new AtomicLong();
          FilterOutputStream changed =
              new FilterOutputStream(out) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                  byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
                  change.of(copy, at.getAndAdd(length), 0, length);
                  out.write(copy);
                }

                @Override
                public void write(int one) throws IOException {
                  write(new byte[] {(byte) one}, 0, 1);
                }
              };
          server.answer(from, in, new DataOutputStream(changed));
        };
    return lines.peer(name, handler);
  }

  /** Ends the connection after so many bytes. */
  private LoopbackPeers.Answering breaking(String name, long after) throws IOException {
    return changing(
        name,
        (bytes, from, offset, length) -> {
          if (from + length > after) {
            throw new IOException("gone");
          }
        });
  }

  private void isThere(Path fetched) throws IOException {
    assertThat(fetched).hasSameBinaryContentAs(model);
    assertThat(target.find(wanted.sha256())).hasValue(fetched);
    assertThat(target.hashes()).containsExactly(wanted.sha256());
    assertThat(dir.resolve("cache").resolve(wanted.sha256() + ".part")).doesNotExist();
  }

  @Test
  void aModelComesFromAPeerAndIsKnownAtTheNextStart() throws IOException {
    LoopbackPeers.Answering peer = honest("a");
    Path fetched = run(peer.peer());
    isThere(fetched);
    assertThat(fetched)
        .isEqualTo(dir.resolve("cache/org_m-" + wanted.sha256().substring(0, 8) + ".gguf"));
    assertThat(peer.sent().get()).isLessThan(wanted.bytes() + WORDS);
    target.close();
    target = store("cache");
    assertThat(target.sha256(fetched)).isEqualTo(wanted.sha256());
    assertThat(run()).as("without any peer").isEqualTo(fetched);
  }

  @Test
  void aSplitModelComesInItsParts() throws IOException {
    List<Path> parts = ModelFilesForTests.split(dir.resolve("split"), "s", 3, CHUNK / 2 + 12_345);
    wanted =
        new ModelFetch.WantedModel(
            source.sha256(parts.get(1)), "s-00001-of-00003.gguf", ModelFilesForTests.bytes(parts));
    Path fetched = run(breaking("b", CHUNK + WORDS).peer(), honest("a").peer());
    assertThat(fetched.getParent().getFileName())
        .hasToString("s-" + wanted.sha256().substring(0, 8));
    try (var gguf = Gguf.open(fetched)) {
      assertThat(gguf.files()).hasSize(3);
      for (int i = 0; i < 3; i++) {
        assertThat(gguf.files().get(i)).hasSameBinaryContentAs(parts.get(i));
      }
    }
    target.close();
    target = store("cache");
    assertThat(target.sha256(fetched)).isEqualTo(wanted.sha256());
  }

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
            "no node could give", "a: it ended the call", "b: there is no model", "c: ")
        .hasMessageContaining("org/m.gguf");
    assertThatThrownBy(this::run).hasMessageContaining("no node has the file of org/m.gguf");
  }

  @Test
  void aWrongChunkDoesNotLandAndItsPeerIsNotAskedAgain() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    LoopbackPeers.Answering liar =
        changing(
            "a",
            (bytes, from, offset, length) -> {
              calls.addAndGet(from == 0 ? 1 : 0);
              if (from < 2L * CHUNK && from + length > CHUNK + 5_000) {
                bytes[length - 1] ^= 1;
              }
            });
    LoopbackPeers.Answering other = honest("b");
    isThere(run(liar.peer(), other.peer()));
    assertThat(calls).hasValue(1);
    assertThat(other.sent().get())
        .as("the first chunk was right")
        .isLessThan(wanted.bytes() - CHUNK + WORDS);
    assertThatThrownBy(
            () -> {
              target.close();
              target = store("other-cache");
              run(liar.peer());
            })
        .hasMessageContaining("a: chunk 1 has another hash than it said");
  }

  @Test
  void chunkHashesThatFitAnotherFileAreFoundOutAndTheRightBytesKept() throws IOException {
    // It has a file of the same size that differs in its third chunk, and says it is this one.
    byte[] bytes = Files.readAllBytes(model);
    bytes[2 * CHUNK + 77] ^= 1;
    Path forged = Files.write(dir.resolve("forged.gguf"), bytes);
    ModelSource liar = lying(forged).peer();
    LoopbackPeers.Answering other = honest("b");
    isThere(run(liar, other.peer()));
    assertThat(other.sent().get()).as("one chunk only").isBetween((long) CHUNK, CHUNK + WORDS);
  }

  @Test
  void aPeerThatDisagreesIsAskedAfterThoseThatAgree() throws IOException {
    byte[] bytes = Files.readAllBytes(model);
    Arrays.fill(bytes, (byte) 3);
    LoopbackPeers.Answering liar = lying(Files.write(dir.resolve("forged.gguf"), bytes));
    ModelSource first = breaking("a", CHUNK + WORDS).peer();
    ModelSource last = honest("c").peer();
    AtomicInteger round = new AtomicInteger();
    ModelFetch fetch =
        new ModelFetch(
            target,
            wanted,
            lines,
            () -> round.getAndIncrement() == 0 ? List.of(first) : List.of(liar.peer(), last),
            FetchDisk.REAL,
            LIMITS,
            words -> {});
    isThere(fetch.run());
    assertThat(liar.sent().get()).as("it only told its hashes").isLessThan(WORDS);
  }

  /** Gives another file in the place of the wanted one. */
  private LoopbackPeers.Answering lying(Path forged) throws IOException {
    HashedModel other = new ModelHasher(List.of(forged), () -> false).run();
    CallHandler handler =
        (from, in, out) -> {
          in.readNBytes(Sha256Hash.BYTES);
          out.writeByte(ModelServer.HAVE);
          other.chunks().write(out);
          out.flush();
          byte[] all = Files.readAllBytes(forged);
          for (int first = in.readInt(); first >= 0; first = in.readInt()) {
            for (int chunk = first, end = first + in.readInt(); chunk < end; chunk++) {
              out.writeByte(ModelServer.CHUNK);
              out.writeInt(other.chunks().length(chunk));
              out.write(all, chunk * CHUNK, other.chunks().length(chunk));
            }
            out.flush();
          }
        };
    return lines.peer("liar", handler);
  }

  /** Says something else than a model server would, after the hash was asked for. */
  private interface Nonsense {
    void say(DataOutputStream out) throws IOException;
  }

  private void isRefused(String why, Nonsense nonsense) throws IOException {
    LoopbackPeers.Answering peer =
        lines.peer(
            "x",
            (from, in, out) -> {
              in.readNBytes(Sha256Hash.BYTES);
              nonsense.say(out);
              out.flush();
              in.readInt();
            });
    assertThatThrownBy(() -> run(peer.peer()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("x: ")
        .hasMessageContaining(why);
    assertThat(dir.resolve("cache").resolve(wanted.sha256() + ".part/.files")).isEmptyDirectory();
  }

  @Test
  void sizesThatDoNotFitAreRefused() throws IOException {
    isRefused("no part of the protocol", out -> out.writeByte(77));
    isRefused("in chunks of", out -> header(out, 1 << 30, 1));
    isRefused("-1 files", out -> header(out, CHUNK, -1));
    isRefused(Integer.MAX_VALUE + " files", out -> header(out, CHUNK, Integer.MAX_VALUE));
    isRefused("but the model has", out -> header(out, CHUNK, 1, wanted.bytes() - 1));
    isRefused("but the model has", out -> header(out, CHUNK, 1, Long.MAX_VALUE));
    isRefused("but the model has", out -> header(out, CHUNK, 1, -5));
    isRefused("but the model has", out -> header(out, CHUNK, 2, wanted.bytes(), wanted.bytes()));
    isRefused("but the model has", out -> header(out, CHUNK, 2, 0, wanted.bytes()));
  }

  private static void header(DataOutputStream out, int chunk, int count, long... parts)
      throws IOException {
    out.writeByte(ModelServer.HAVE);
    out.writeInt(chunk);
    out.writeInt(count);
    for (long part : parts) {
      out.writeLong(part);
    }
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

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aPeerThatTricklesIsTooSlow() throws IOException {
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
            target, wanted, lines, () -> List.of(slow), FetchDisk.REAL, limits, words -> {});
    assertThatThrownBy(fetch::run).hasMessageContaining("a chunk takes longer than PT5S");
  }

  @Test
  void aPeerThatIsHeardOfALittleLaterIsWaitedFor() throws IOException {
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
    ModelFetch inVain =
        new ModelFetch(target, wanted, lines, none, FetchDisk.REAL, limits, words -> {});
    assertThatThrownBy(inVain::run).hasMessageContaining("no node has the file of org/m.gguf");
    assertThat(asked).as("at once, and for 6 s").hasValue(4);
    Supplier<List<ModelSource>> third =
        () -> {
          none.get();
          return asked.get() == 7 ? List.of(late) : List.of();
        };
    isThere(
        new ModelFetch(target, wanted, lines, third, FetchDisk.REAL, limits, words -> {}).run());
  }

  @Test
  void morePartsThanAModelHasAreALieAndMakeNoFile() throws IOException {
    isRefused("1025 files", out -> header(out, CHUNK, 1025));
    // As many as may be: none is made before a chunk of it is here.
    long[] parts = new long[ChunkHashes.MOST_PARTS];
    Arrays.fill(parts, 1);
    parts[0] = wanted.bytes() - parts.length + 1;
    int hashes = Math.ceilDiv((int) wanted.bytes(), CHUNK) * Sha256Hash.BYTES;
    isRefused(
        "no part of the protocol",
        out -> {
          header(out, CHUNK, parts.length, parts);
          out.write(new byte[hashes]);
          out.writeByte(77);
        });
  }

  @Test
  void aNameWithSlashesStaysInTheCache() throws IOException {
    for (String name : List.of("../../../etc/passwd", "..", "", "a\0b\nc", "/", "x".repeat(500))) {
      wanted = new ModelFetch.WantedModel(wanted.sha256(), name, wanted.bytes());
      target.close();
      target = store("cache" + Math.abs(name.hashCode()));
      Path fetched = run(honest("a").peer());
      assertThat(fetched.getParent()).isEqualTo(target.cache());
      assertThat(fetched.getFileName().toString()).matches("[A-Za-z0-9_][A-Za-z0-9._-]{1,115}");
    }
    assertThatThrownBy(() -> new ModelFetch.WantedModel("../" + "a".repeat(61), "m", 1))
        .isInstanceOf(ClusterException.class);
  }

  @Test
  void aFullDiskIsSaidBeforeAnythingIsFetched() throws IOException {
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

  /** Takes so many bytes, and then half of what comes. */
  private static FetchDisk disk(long room, long usable) {
    AtomicLong left = new AtomicLong(room);
    return new FetchDisk() {
      @Override
      public void write(Path file, long position, ByteBuffer data) throws IOException {
        if (left.addAndGet(-data.remaining()) < 0) {
          FetchDisk.REAL.write(file, position, data.limit(data.position() + data.remaining() / 2));
          throw new IOException("No space left on device");
        }
        FetchDisk.REAL.write(file, position, data);
      }

      @Override
      public long usable(Path directory) {
        return usable;
      }
    };
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
  void aStoppedFetchGoesOnWhereItEnded() throws IOException {
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
  void whatIsDamagedBetweenTwoFetchesIsFetchedAgainAndNothingElse() throws IOException {
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

  private static CompletableFuture<Path> later(Supplier<Path> fetch) {
    return CompletableFuture.supplyAsync(fetch, Thread.ofVirtual()::start);
  }

  /** An honest peer that serves when it is let go. */
  private ModelSource gated(CountDownLatch asked, CountDownLatch go) throws IOException {
    ModelServer server = new ModelServer(source, 10, System::nanoTime);
    CallHandler handler =
        (from, in, out) -> {
          asked.countDown();
          await(go);
          server.answer(from, in, out);
        };
    return lines.peer("gated", handler).peer();
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
            lines,
            () -> List.of(other.peer()),
            FetchDisk.REAL,
            LIMITS,
            words -> {
              assertThat(words).contains("another node with this cache");
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
            lines,
            () -> List.of(first),
            FetchDisk.REAL,
            LIMITS,
            words -> second[0].stop());
    assertThatThrownBy(() -> second[0].run()).hasMessageContaining("was stopped");
    go.countDown();
    isThere(one.get(60, TimeUnit.SECONDS));
  }

  @Test
  void whatAnotherProcessFetchedMeanwhileIsFoundWithoutAnyPeer() throws IOException {
    ModelStore neighbour = store("cache");
    Awaitility.await().until(() -> neighbour.hashingProgress().isEmpty());
    Path fetched = run(honest("a").peer());
    assertThat(neighbour.find(wanted.sha256())).as("it has not looked since").isEmpty();
    target = neighbour;
    assertThat(run()).isEqualTo(fetched);
    isThere(fetched);
  }

  @Test
  void cacheThatCannotBeMadeIsRefusedInWords() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "x");
    assertThatThrownBy(() -> ModelStore.open(List.of(), file.resolve("cache"), () -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the cache of models cannot be made: ")
        .hasMessageNotContaining("Exception");
    assertThat(FileErrors.of(new NoSuchFileException("/x"))).isEqualTo("there is no /x");
    assertThat(FileErrors.of(new AccessDeniedException("/x")))
        .isEqualTo("this user may not use /x");
  }
}
