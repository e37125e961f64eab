package dev.millrace.http.openai.answer;

import dev.millrace.http.inference.ChoiceEvent;
import dev.millrace.http.inference.ChoiceStream;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.inference.GenerationSource;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.DirectRequest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/**
 * Generates the choices of a request and passes what happens to a listener, whose answer is sent as
 * a whole or as a stream. A client that disconnects cancels the generation.
 *
 * @param fields of the client's request, for errors
 * @param keepAlive the longest silence of a stream
 */
public record ChoiceReader(GenerationSource source, ClientFields fields, Duration keepAlive) {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Takes the events of all choices. Used by one thread. */
  public interface Listener {
    /** A choice was accepted: its model is there. */
    void accepted(int choice, String model) throws IOException;

    void token(int choice, AnswerEvent.TokenChosen token) throws IOException;

    void ended(int choice, AnswerEvent.Ended ended) throws IOException;

    /** All choices have ended. */
    void finished() throws IOException;
  }

  /** Makes a listener that sends its answer as events. */
  @FunctionalInterface
  public interface StreamListener {
    Listener to(EventStream events);
  }

  /** Generates all choices. */
  public void collect(ApiRequest request, List<DirectRequest> choices, Listener listener)
      throws InterruptedException {
    ClientWatch watch = new ClientWatch(request, keepAlive, System::nanoTime);
    try (ChoiceStream stream = ChoiceStream.start(source, choices)) {
      while (stream.isOpen()) {
        pass(watch.next(stream, null), listener);
      }
      listener.finished();
    } catch (IOException e) {
      throw new IllegalStateException("nothing is sent here", e);
    }
  }

  /**
   * Generates all choices as a stream. It is refused with a status as long as nothing is sent, which
   * is the case until the model is there or the first keep-alive is due.
   */
  public ApiResponse stream(
      ApiRequest request, List<DirectRequest> choices, StreamListener listener)
      throws InterruptedException {
    request.reserveStream();
    ClientWatch watch = new ClientWatch(request, keepAlive, System::nanoTime);
    ChoiceStream stream = ChoiceStream.start(source, choices);
    boolean handedOver = false;
    try {
      if (watch.first(stream).orElse(null) instanceof ChoiceEvent.Failed failed) {
        throw failure(failed.reason());
      }
      String id = request.requestId();
      ApiResponse response =
          EventStream.response(
              events -> send(watch.watched(events), watch, stream, listener, id), stream::close);
      handedOver = true;
      return response;
    } finally {
      if (!handedOver) {
        stream.close();
      }
    }
  }

  private void send(
      EventStream events, ClientWatch watch, ChoiceStream stream, StreamListener to, String id)
      throws IOException, InterruptedException {
    Listener listener = to.to(events);
    try (stream) {
      while (stream.isOpen()) {
        pass(watch.next(stream, events::keepAlive), listener);
      }
      listener.finished();
    } catch (ClientGoneException e) {
      throw e;
    } catch (Problem e) {
      events.data(OpenAiError.body(e));
    } catch (InterruptedException e) {
      events.data(
          OpenAiError.body(
              new Problem(Problem.Kind.UNAVAILABLE, "the server is stopping; try again later")));
      throw e;
    } catch (RuntimeException e) { // the client must not take the answer for complete
      LOG.log(Level.ERROR, "request " + id + " failed", e);
      events.data(OpenAiError.body(internal()));
    }
  }

  private static Problem internal() {
    return new Problem(
        Problem.Kind.INTERNAL, "internal error; see the server's log for this request id");
  }

  private void pass(ChoiceEvent event, Listener listener) throws IOException {
    switch (event) {
      case ChoiceEvent.Accepted accepted -> listener.accepted(accepted.choice(), accepted.model());
      case ChoiceEvent.Answered answered -> {
        switch (answered.event()) {
          case AnswerEvent.PromptProgress _ -> {} // nobody asked for it
          case AnswerEvent.TokenChosen token -> listener.token(answered.choice(), token);
          case AnswerEvent.Ended ended -> listener.ended(answered.choice(), ended);
        }
      }
      case ChoiceEvent.Failed failed -> throw failure(failed.reason());
    }
  }

  /** The reason of a failure, to be thrown on the thread of the request. */
  private RuntimeException failure(Throwable reason) {
    return switch (OpenAiError.translate(reason, fields)) {
      case RuntimeException known -> known;
      case Throwable other -> new IllegalStateException(other);
    };
  }
}
