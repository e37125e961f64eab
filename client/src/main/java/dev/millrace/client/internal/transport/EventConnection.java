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
 * One connection to the event stream of a job. One thread reads; any thread may call {@link
 * #close}.
 */
public final class EventConnection {

  /**
   * The body of the answer.
   *
   * @param lines the event stream; null if the answer is not a stream, then {@code text} has it
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

  public EventConnection(ApiTransport transport, ClientRequest request) {
    this.sender = transport.sender();
    this.request = request;
    this.answer = sender.start(request, transport.trace().get(), Body::of);
  }

  private static Body stream(Flow.Publisher<List<ByteBuffer>> body) {
    LineQueue lines = new LineQueue();
    body.subscribe(lines);
    return new Body(lines, "");
  }

  /**
   * Waits for the server to answer.
   *
   * @return the status; 0 if no answer came in time
   * @throws NetworkException if the connection failed
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

  /** The next line, or the end of the stream; null if nothing came in time. */
  public LineQueue.@Nullable Item next(Duration atMost) throws InterruptedException {
    LineQueue lines = answer.join().body().lines();
    return lines == null ? new LineQueue.Item.End(null) : lines.poll(atMost);
  }

  /** The error of an answer that is not a stream. */
  public ApiException refusal() {
    HttpResponse<Body> response = answer.join();
    return new ClientResponse(
            response.statusCode(), response.headers(), response.body().text(), false)
        .toException();
  }

  /** Cancels the request and the stream. */
  public void close() {
    if (!answer.cancel(true)) {
      answer.thenAccept(response -> response.body().drop());
    }
  }
}
