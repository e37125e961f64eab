package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.internal.connection.CallHandler;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ModelFetchCrashTest {
  private static final int CHUNK = ChunkHashes.SIZE;

  @TempDir Path dir;

  /** Sends so many bytes, then nothing until the caller has died. */
  private static final class Stalling extends FilterOutputStream {
    private final CountDownLatch reached;
    private final CountDownLatch died;
    private long left;

    Stalling(DataOutputStream out, long bytes, CountDownLatch reached, CountDownLatch died) {
      super(out);
      this.left = bytes;
      this.reached = reached;
      this.died = died;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      int some = (int) Math.min(length, left);
      out.write(bytes, from, some);
      left -= some;
      if (some < length) {
        out.flush();
        reached.countDown();
        try {
          died.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        throw new IOException("the caller died");
      }
    }
  }

  @Test
  @Timeout(60)
  void aKilledProcessIsFollowedByOneThatFetchesOnlyTheRest() throws Exception {
    Path model = ModelFilesForTests.write(dir.resolve("source/m.gguf"), 6 * CHUNK, 3);
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch died = new CountDownLatch(1);
    Path cache = dir.resolve("cache");
    try (ModelStore source = ModelStore.open(List.of(), dir.resolve("source-cache"), () -> {});
        ModelStore target = ModelStore.open(List.of(), cache, () -> {});
        LoopbackPeers lines = new LoopbackPeers()) {
      ModelFetch.WantedModel wanted =
          new ModelFetch.WantedModel(source.sha256(model), "m", Files.size(model));
      ModelServer server = new ModelServer(source);
      CallHandler stalling =
          (from, in, out) ->
              server.answer(
                  from,
                  in,
                  new DataOutputStream(new Stalling(out, 3L * CHUNK + CHUNK / 2, reached, died)));
      Process process = start(cache, wanted, lines.peer("a", stalling).peer());
      assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
      Path data =
          cache.resolve(
              "%s.part/.files/model-%s.gguf"
                  .formatted(wanted.sha256(), wanted.sha256().substring(0, 8)));
      // Its last whole chunk may still be on its way to the disk.
      await().until(() -> Files.exists(data) && Files.size(data) == 3L * CHUNK);
      process.destroyForcibly().waitFor();
      died.countDown();
      assertThat(target.find(wanted.sha256())).isEmpty();

      LoopbackPeers.Answering rest = lines.peer("b", new ModelServer(source));
      ModelFetch.Sources sources = new ModelFetch.Sources(lines, () -> List.of(rest.peer()));
      Path fetched = ModelFetch.of(target, wanted, sources, words -> {}).run();
      assertThat(fetched).hasSameBinaryContentAs(model);
      assertThat(rest.sent().get())
          .isBetween(wanted.bytes() - 3L * CHUNK, wanted.bytes() - 3L * CHUNK + 4_096);
    }
  }

  private static Process start(Path cache, ModelFetch.WantedModel wanted, ModelSource peer)
      throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            ModelFetchProcess.class.getName(),
            cache.toString(),
            wanted.sha256(),
            Long.toString(wanted.bytes()),
            peer.at().toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
