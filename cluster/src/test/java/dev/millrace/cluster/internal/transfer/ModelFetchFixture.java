package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.connection.CallHandler;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A model to fetch, its source and target stores, and peers of all kinds. */
abstract class ModelFetchFixture {
  static final int CHUNK = ChunkHashes.SIZE;

  /** What a call costs beside chunks: hashes and words. */
  static final long WORDS = 4_096;

  static final ModelFetch.Limits LIMITS =
      new ModelFetch.Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ZERO,
          Duration.ofMillis(1),
          3,
          System::nanoTime);

  @TempDir Path dir;
  final LoopbackPeers lines = new LoopbackPeers();
  final List<AutoCloseable> open = new ArrayList<>();
  Path model;
  ModelFetch.WantedModel wanted;
  ModelStore source;
  ModelStore target;

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

  ModelStore store(String cache) {
    ModelStore store = ModelStore.open(List.of(), dir.resolve(cache), () -> {});
    open.add(store);
    return store;
  }

  ModelFetch fetch(FetchDisk disk, ModelSource... peers) {
    ModelFetch.Sources sources = new ModelFetch.Sources(lines, () -> List.of(peers));
    return new ModelFetch(target, wanted, sources, disk, LIMITS, words -> {});
  }

  Path run(ModelSource... peers) {
    return fetch(FetchDisk.REAL, peers).run();
  }

  LoopbackPeers.Answering honest(String name) throws IOException {
    return lines.peer(name, new ModelServer(source, 10, System::nanoTime));
  }

  /** An honest peer whose bytes are changed: {@code change} gets them with their position. */
  interface Change {
    void of(byte[] bytes, long from, int offset, int length) throws IOException;
  }

  LoopbackPeers.Answering changing(String name, Change change) throws IOException {
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
  LoopbackPeers.Answering breaking(String name, long after) throws IOException {
    return changing(
        name,
        (bytes, from, offset, length) -> {
          if (from + length > after) {
            throw new IOException("gone");
          }
        });
  }

  void isThere(Path fetched) throws IOException {
    assertThat(fetched).hasSameBinaryContentAs(model);
    assertThat(target.find(wanted.sha256())).hasValue(fetched);
    assertThat(target.hashes()).containsExactly(wanted.sha256());
    assertThat(dir.resolve("cache").resolve(wanted.sha256() + ".part")).doesNotExist();
  }

  /** Gives another file in the place of the wanted one. */
  LoopbackPeers.Answering lying(Path forged) throws IOException {
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
  interface Nonsense {
    void say(DataOutputStream out) throws IOException;
  }

  void isRefused(String why, Nonsense nonsense) throws IOException {
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

  static void header(DataOutputStream out, int chunk, int count, long... parts) throws IOException {
    out.writeByte(ModelServer.HAVE);
    out.writeInt(chunk);
    out.writeInt(count);
    for (long part : parts) {
      out.writeLong(part);
    }
  }

  static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Takes so many bytes, and then half of what comes. */
  static FetchDisk disk(long room, long usable) {
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

  static CompletableFuture<Path> later(Supplier<Path> fetch) {
    return CompletableFuture.supplyAsync(fetch, Thread.ofVirtual()::start);
  }

  /** An honest peer that serves when it is let go. */
  ModelSource gated(CountDownLatch asked, CountDownLatch go) throws IOException {
    ModelServer server = new ModelServer(source, 10, System::nanoTime);
    CallHandler handler =
        (from, in, out) -> {
          asked.countDown();
          await(go);
          server.answer(from, in, out);
        };
    return lines.peer("gated", handler).peer();
  }
}
