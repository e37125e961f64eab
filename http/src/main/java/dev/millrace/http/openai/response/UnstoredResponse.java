package dev.millrace.http.openai.response;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.inference.ChoiceEvent;
import dev.millrace.http.inference.ChoiceStream;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.inference.ClientWatch.KeepAlive;
import dev.millrace.http.openai.answer.LogprobEntries;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.stream.ResponseEnd;
import dev.millrace.http.openai.response.stream.ResponseEvent;
import dev.millrace.http.openai.response.stream.ResponseEvents;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.openai.response.stream.ResponseStatus;
import dev.millrace.http.route.Problem;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.TokenLogprobs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A response that leaves nothing behind: it is made while the client waits, and cancelled when the
 * client disconnects.
 *
 * @param answer its only choice; it is closed at the end
 * @param fields of the request, for errors
 */
record UnstoredResponse(
    ResponseHead head,
    ChoiceStream answer,
    ClientWatch client,
    InstantSource clock,
    ClientFields fields) {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Sends what was collected. */
  private interface Flush {
    void run() throws IOException;
  }

  /** The whole response; throws what the model was refused for. */
  JsonObject await() throws InterruptedException {
    try (answer) {
      return run(_ -> {}, () -> {}, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is written here
    }
  }

  /** Throws what the model was refused for, if that comes soon: it needs no stream then. */
  void requireAccepted() throws InterruptedException {
    Optional<ChoiceEvent> first = client.first(answer);
    if (first.isPresent() && first.get() instanceof ChoiceEvent.Failed(int _, Throwable reason)) {
      throw unchecked(reason);
    }
  }

  private static RuntimeException unchecked(Throwable reason) {
    if (reason instanceof Error error) {
      throw error;
    }
    return (RuntimeException) reason; // an answer throws no other
  }

  /** Sends its events. */
  void write(EventStream events) throws IOException, InterruptedException {
    EventStream watched = client.watched(events);
    EventWriter writer = new EventWriter(watched, -1);
    try (answer) {
      writer.writeAll(
          () -> {
            run(writer::add, writer::flush, watched::keepAlive);
          },
          head.ids().response());
    }
  }

  /**
   * @param silence null: it is not streamed
   */
  private JsonObject run(Consumer<ResponseEvent> reader, Flush flush, @Nullable KeepAlive silence)
      throws IOException, InterruptedException {
    ResponseEvents events = new ResponseEvents(head, reader);
    events.start();
    while (true) {
      flush.run();
      switch (client.next(answer, silence)) {
        case ChoiceEvent.Accepted _ -> {}
        case ChoiceEvent.Failed(int _, Throwable reason) -> {
          if (silence == null) {
            throw unchecked(reason);
          }
          return events.end(failed(reason), List.of(), List.of());
        }
        case ChoiceEvent.Answered(int _, AnswerEvent event) -> {
          if (event instanceof AnswerEvent.TokenChosen token) {
            TokenLogprobs logprobs = token.logprobs();
            events.token(
                token.parts(),
                logprobs == null ? List.of() : List.of(LogprobEntries.entry(logprobs)));
          } else if (event instanceof AnswerEvent.Ended(AnswerEnd end)) {
            return events.end(end(end), end.rest(), List.of());
          }
        }
      }
    }
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }

  private ResponseEnd failed(Throwable reason) {
    return new ResponseEnd(ResponseStatus.FAILED, now(), error(reason), null);
  }

  /** Without internal details, which the log has. */
  private ResponseEnd.Error error(Throwable reason) {
    if (OpenAiError.translate(reason, fields) instanceof Problem problem) {
      boolean refused = problem.kind() == Problem.Kind.INVALID;
      return new ResponseEnd.Error(
          refused ? "invalid_prompt" : "server_error",
          OpenAiError.object(problem).string("message"));
    }
    LOG.log(Level.ERROR, head.ids().response() + " failed", reason);
    return new ResponseEnd.Error(
        "server_error", "internal error; see the server's log for this response");
  }

  private ResponseEnd end(AnswerEnd end) {
    ResponseStatus status =
        switch (end.finish()) {
          case STOP, TOOL_CALLS -> ResponseStatus.COMPLETED;
          case LENGTH -> ResponseStatus.INCOMPLETE;
          case CANCELLED -> ResponseStatus.CANCELLED;
          case FAILED -> ResponseStatus.FAILED;
        };
    ResponseEnd.Error error =
        status == ResponseStatus.FAILED
            ? new ResponseEnd.Error("server_error", end.reason())
            : null;
    ResponseEnd.Usage usage =
        new ResponseEnd.Usage(
            end.usage().promptTokens(),
            end.usage().cachedTokens(),
            end.usage().completionTokens(),
            end.usage().reasoningTokens());
    return new ResponseEnd(status, now(), error, usage);
  }
}
