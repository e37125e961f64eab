package dev.millrace.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Lines between the thread that receives a stream and the thread that reads it. */
class LineQueueTest {

  @Test
  void linesDoNotDependOnBufferBoundaries() throws InterruptedException {
    byte[] text = "grün\r\n\rend\n".getBytes(StandardCharsets.UTF_8);
    for (int cut = 1; cut < text.length; cut++) {
      LineQueue queue = new LineQueue();
      queue.onSubscribe(new CountedRequests(new AtomicInteger()));
      queue.onNext(List.of(ByteBuffer.wrap(text, 0, cut)));
      queue.onNext(List.of(ByteBuffer.wrap(text, cut, text.length - cut)));
      queue.onComplete();
      List<Object> items = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        items.add(queue.poll(Duration.ZERO));
      }
      assertThat(items)
          .as("cut at %d", cut)
          .containsExactly(
              new LineQueue.Item.Text("grün"),
              new LineQueue.Item.Text(""),
              new LineQueue.Item.Text("end"),
              new LineQueue.Item.End(null));
    }
  }

  @Test
  void slowReaderLimitsWhatIsRequested() throws InterruptedException {
    AtomicInteger requests = new AtomicInteger();
    LineQueue queue = new LineQueue();
    queue.onSubscribe(new CountedRequests(requests));
    queue.onNext(List.of(ByteBuffer.wrap("x\n".repeat(300).getBytes(StandardCharsets.UTF_8))));
    assertThat(requests).as("only the first request").hasValue(1);
    for (int i = 0; i < 100; i++) {
      queue.poll(Duration.ZERO);
    }
    assertThat(requests).as("requests more when there is room").hasValue(2);
  }

  /** Counts how often more is requested. */
  private record CountedRequests(AtomicInteger times) implements Flow.Subscription {
    @Override
    public void request(long n) {
      times.incrementAndGet();
    }

    @Override
    public void cancel() {}
  }
}
