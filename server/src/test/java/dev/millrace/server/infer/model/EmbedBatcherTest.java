package dev.millrace.server.infer.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.model.EmbedBatcher.QueuedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which thread computes which batch, with a model that returns the length of each text when the
 * test lets it.
 */
@Timeout(30)
class EmbedBatcherTest {
  private static final int TOO_LONG = 9;

  private final BlockingQueue<Integer> batches = new LinkedBlockingQueue<>(); // their sizes
  private final Semaphore steps = new Semaphore(0);
  private final EmbedBatcher line = new EmbedBatcher(this::embed);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    steps.release(1000);
    threads.close();
  }

  private float[][] embed(int[][] texts, Pooling pooling, boolean normalise) {
    batches.add(texts.length);
    steps.acquireUninterruptibly();
    float[][] vectors = new float[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      if (texts[i].length == TOO_LONG) {
        throw new EngineException("too long");
      }
      vectors[i] = new float[] {texts[i].length};
    }
    return vectors;
  }

  private QueuedText ask(int length, Pooling pooling) {
    return line.submit(new int[length], pooling, true);
  }

  private Future<Optional<float[]>> await(QueuedText request) {
    return threads.submit(request::await);
  }

  /** A request that is being computed, so that further ones must wait. */
  private Future<Optional<float[]>> busy() throws InterruptedException {
    Future<Optional<float[]>> first = await(ask(1, Pooling.MEAN));
    assertThat(batches.take()).isEqualTo(1);
    return first;
  }

  private static float length(Future<Optional<float[]>> vector) throws Exception {
    return vector.get().orElseThrow()[0];
  }

  @Test
  void anErrorOfOneTextFailsNoOther() throws Exception {
    Future<Optional<float[]>> first = busy();
    List<Future<Optional<float[]>>> all = new ArrayList<>();
    for (int length : new int[] {2, TOO_LONG, 3}) {
      all.add(await(ask(length, Pooling.MEAN)));
    }
    steps.release(1000);
    assertThat(length(first)).isEqualTo(1);
    assertThat(length(all.get(0))).isEqualTo(2);
    assertThatThrownBy(all.get(1)::get)
        .hasCauseInstanceOf(EngineException.class)
        .hasMessageContaining("too long");
    assertThat(length(all.get(2))).isEqualTo(3);
    assertThat(batches).as("in one batch, then one by one").contains(3).hasSize(4);
  }

  @Test
  void eachThreadComputesOneBatchOnly() throws Exception {
    Future<Optional<float[]>> first = busy();
    Future<Optional<float[]>> second = await(ask(2, Pooling.CLS));
    steps.release();
    assertThat(length(first)).isEqualTo(1);
    assertThat(batches.take()).as("now the second thread computes").isEqualTo(1);
    assertThat(second.isDone()).isFalse();
    steps.release();
    assertThat(length(second)).isEqualTo(2);
  }

  @Test
  void aCancelledRequestIsNotComputedAndBlocksNoOther() throws Exception {
    Future<Optional<float[]>> first = busy();
    QueuedText gone = ask(2, Pooling.CLS);
    Future<Optional<float[]>> withdrawn = await(gone);
    Future<Optional<float[]>> last = await(ask(3, Pooling.LAST));
    gone.cancel();
    assertThat(withdrawn.get()).isEmpty();
    steps.release(1000);
    assertThat(length(first)).isEqualTo(1);
    assertThat(length(last)).isEqualTo(3);
    assertThat(batches).containsExactly(1);
  }

  @Test
  void anInterruptedThreadComputesNothingThoughItIsItsTurn() throws Exception {
    QueuedText request = ask(2, Pooling.MEAN);
    steps.release(1000);
    Thread.currentThread().interrupt();
    assertThatThrownBy(request::await).isInstanceOf(InterruptedException.class);
    assertThat(batches).isEmpty();
    assertThat(length(await(ask(3, Pooling.MEAN)))).isEqualTo(3);
    assertThat(batches).containsExactly(1);
  }

  @Test
  void anInterruptedRequestLeavesTheQueue() throws Exception {
    Future<Optional<float[]>> first = busy();
    QueuedText request = ask(2, Pooling.CLS);
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> assertThatThrownBy(request::await).isInstanceOf(InterruptedException.class));
    waiter.interrupt();
    waiter.join();
    Future<Optional<float[]>> last = await(ask(3, Pooling.LAST));
    steps.release(1000);
    assertThat(length(first)).isEqualTo(1);
    assertThat(length(last)).isEqualTo(3);
    assertThat(batches).containsExactly(1);
  }
}
