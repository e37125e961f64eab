package dev.millrace.cluster.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RetryingSenderTest {
  private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
  private final List<String> undelivered = Collections.synchronizedList(new ArrayList<>());

  private static NodeMessage message(long session) {
    return new NodeMessage(Kind.OPEN, session, ByteBuffer.allocate(0));
  }

  @Test
  void aNodeThatHangsDoesNotDelayMessagesToOthers() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(3);
    RetryingSender sender =
        new RetryingSender(
            (node, message) -> {
              if (node.equals("frozen")) {
                awaitUninterrupted(stuck);
              }
              sent.add(node + message.session());
              others.countDown();
            },
            (node, message, why) -> undelivered.add(node));
    sender.send("frozen", message(1));
    sender.send("a", message(1));
    sender.send("a", message(2));
    sender.send("a", message(3));
    assertThat(others.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(sent).containsExactly("a1", "a2", "a3");
    assertThat(sender.flush(1)).isFalse();
    stuck.countDown();
    assertThat(sender.flush(20_000)).isTrue();
    assertThat(sent).endsWith("frozen1");
  }

  @Test
  void messagesThatCannotBeSentAreReported() throws InterruptedException {
    RetryingSender sender =
        new RetryingSender(
            (node, message) -> {
              throw new ClusterException("no such node");
            },
            (node, message, why) -> undelivered.add(node + message.session() + " " + why));
    sender.send("a", message(7));
    assertThat(sender.flush(20_000)).isTrue();
    assertThat(undelivered).containsExactly("a7 no such node");
  }

  @Test
  void messagesThatCannotBeSentAreRetriedInOrderForAWhile() throws InterruptedException {
    AtomicLong clock = new AtomicLong();
    AtomicInteger tries = new AtomicInteger();
    RetryingSender sender =
        new RetryingSender(
            (node, message) -> {
              if (tries.getAndIncrement() == 0) {
                throw new ClusterException("not yet");
              }
              sent.add(node + message.session());
            },
            Duration.ofSeconds(10),
            clock::get,
            (node, message, why) -> undelivered.add(node));
    sender.send("a", message(1));
    sender.send("a", message(2));
    assertThat(sender.flush(20_000)).isTrue();
    assertThat(sent).containsExactly("a1", "a2");
    assertThat(undelivered).isEmpty();
  }

  @Test
  void messagesThatAreLateAreGivenUpTogether() throws InterruptedException {
    AtomicLong clock = new AtomicLong();
    CountDownLatch both = new CountDownLatch(1);
    AtomicInteger tries = new AtomicInteger();
    RetryingSender sender =
        new RetryingSender(
            (node, message) -> {
              awaitUninterrupted(both);
              tries.incrementAndGet();
              clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
              throw new ClusterException("silent");
            },
            Duration.ofSeconds(10),
            clock::get,
            (node, message, why) -> undelivered.add(node + message.session()));
    sender.send("a", message(1));
    sender.send("a", message(2));
    both.countDown();
    assertThat(sender.flush(20_000)).isTrue();
    assertThat(undelivered).containsExactly("a1", "a2");
    assertThat(tries).as("it was looked for once").hasValue(1);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
