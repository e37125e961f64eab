package dev.millrace.client.internal.transport;

import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.NetworkException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request for events, from the moment it is sent. Read by one thread; {@link #close} may come
 * from another.
 */
public final class EventConnection {

  /**
   * What the server says.
   *
   * @param lines its stream; null where the answer is another, which was read to its end
   */
  private record Body(@Nullable LineQueue lines, String text) {

    static BodySubscriber<Body> of(ResponseInfo head) {
      return head.statusCode() == 200
          ? BodySubscribers.mapping(BodySubscribers.ofPublisher(), EventConnection::stream)
          : BodySubscribers.mapping(
              BodySubscribers.ofString(StandardCharsets.UTF_8), text -> new Body(null, text));
    }

    void drop() {
      if (lines != null) {
        lines.cancel();
      }
    }
  }

  private final RequestSender sender;
  private final ClientRequest request;
  private final CompletableFuture<HttpResponse<Body>> answer;

  public EventConnection(ApiTransport channel, ClientRequest request) {
    this.sender = channel.sender();
    this.request = request;
    this.answer = sender.start(request, channel.trace().get(), Body::of);
  }

  private static Body stream(Flow.Publisher<List<ByteBuffer>> body) {
    LineQueue lines = new LineQueue();
    body.subscribe(lines);
    return new Body(lines, "");
  }

  /**
   * Waits for the server to answer.
   *
   * @return its status; 0 if it did not in time
   * @throws NetworkException if there will be no answer
   */
  public int status(Duration atMost) throws InterruptedException {
    try {
      return answer.get(atMost.toNanos(), TimeUnit.NANOSECONDS).statusCode();
    } catch (TimeoutException e) {
      return 0;
    } catch (CancellationException e) {
      throw sender.networkException(request, e);
    } catch (ExecutionException e) {
      throw sender.networkException(request, e.getCause() == null ? e : e.getCause());
    }
  }

  /** The next line of a stream, or its end; null if nothing came in time. */
  public LineQueue.@Nullable Item next(Duration atMost) throws InterruptedException {
    LineQueue lines = answer.join().body().lines();
    return lines == null ? new LineQueue.Item.End(null) : lines.poll(atMost);
  }

  /** What an answer without a stream says. */
  public ApiException refusal() {
    HttpResponse<Body> given = answer.join();
    return new ClientResponse(given.statusCode(), given.headers(), given.body().text(), 1)
        .toException();
  }

  /** Cancels what is under way. */
  public void close() {
    if (!answer.cancel(true)) {
      answer.thenAccept(given -> given.body().drop());
    }
  }
}
