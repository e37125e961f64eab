package dev.millrace.http.openai.response.store;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.openai.response.stream.ResponseEnd;
import dev.millrace.http.openai.response.stream.ResponseEvent;
import dev.millrace.http.openai.response.stream.ResponseEvents;
import dev.millrace.http.openai.response.stream.ResponseStatus;
import dev.millrace.server.infer.run.OutputRecorder;
import dev.millrace.server.infer.run.StoredOutputFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of a stored response from what the store has: from its journal while it runs,
 * from its receipt afterwards. Both have the same text for each token, so every replay has the same
 * events. Not thread-safe.
 */
public final class ResponseReplay {
  private static final int LOG_PAGE = 100;

  private final JobReader store;
  private final OutputParsers parsers;
  private final StoredResponse response;
  private final ResponseEvents events;
  private final List<String> replayed = new ArrayList<>(); // the text of each token
  private int next; // the token to read next; less than replayed if the output restarted
  private long position; // in the journal
  private @Nullable AssistantOutputParser parser;
  private boolean running;

  ResponseReplay(
      JobReader store,
      OutputParsers parsers,
      StoredResponse response,
      Consumer<ResponseEvent> reader) {
    this.parsers = parsers;
    this.store = store;
    this.response = response;
    this.events = new ResponseEvents(response.head(), reader);
  }

  /** The output restarted with other tokens: events that were sent are no longer true. */
  public static final class OutputChanged extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutputChanged() {
      super("the output restarted with other tokens; read the stream again from its start");
    }
  }

  /** The response was deleted. */
  public static final class ResponseDeleted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ResponseDeleted() {
      super("the response was deleted");
    }
  }

  /**
   * Emits the events of all that the store has now.
   *
   * @return the whole response, if it has ended
   */
  public Optional<JsonObject> advance() {
    JobView view = store.find(response.job()).orElseThrow(ResponseDeleted::new);
    running = view.startedAt() != null && !view.state().isFinal();
    events.create();
    if (!response.head().background() || view.startedAt() != null) {
      events.start();
    }
    if (view.state().isFinal()) {
      return Optional.of(end(view));
    }
    readJournal();
    return Optional.empty();
  }

  /** Whether it had started at the last look, and not ended. */
  public boolean isRunning() {
    return running;
  }

  /** The response as it is now: with its output once it has ended. */
  Optional<JsonObject> responseNow(JobView view) {
    if (view.state().isFinal()) {
      return Optional.of(end(view));
    }
    boolean waits = view.startedAt() == null;
    return Optional.of(
        response.head().response(waits ? ResponseStatus.QUEUED : ResponseStatus.IN_PROGRESS));
  }

  private JsonObject end(JobView view) {
    if (view.startedAt() != null) {
      events.start();
    }
    TaskResult result = result(view);
    JsonObject receipt = result == null ? JsonObject.create() : receipt(result);
    if (result == null) {
      readJournal();
    } else {
      next = 0; // the receipt has all tokens
      receipt.list("pieces").forEach(piece -> token(String.valueOf(piece)));
    }
    ResponseEnd.Usage used = view.state() == JobState.ABORTED ? journaledUsage() : null;
    ResponseEnd end = StoredEnd.of(view, result, used);
    List<?> logprobs = logprobs(receipt);
    boolean cut = end.status() != ResponseStatus.COMPLETED;
    List<OutputPart> rest = new ArrayList<>();
    if (parser == null && receipt.has("rest")) {
      parser = parser();
    }
    if (parser != null) {
      rest.addAll(parser.feed(receipt.string("rest", "")));
      rest.addAll(parser.end(cut));
    }
    return events.end(end, rest, logprobs);
  }

  /** What was computed for an output without a receipt; null if nothing was. */
  private ResponseEnd.@Nullable Usage journaledUsage() {
    JsonObject terms = frozenTerms();
    if (!terms.has("prompt_tokens")) {
      return null;
    }
    int thoughts =
        OutputRecorder.reasoningTokens(
            replayed.subList(0, next), StoredOutputFormat.of(terms, data()));
    long cached = 0; // the journal does not say
    return new ResponseEnd.Usage(terms.integer("prompt_tokens"), cached, next, thoughts);
  }

  /** The journal has none, so that they come with the end only: for the item that is open then. */
  private List<?> logprobs(JsonObject receipt) {
    return receipt.has("logprobs")
        ? ReceiptLogprobs.ofLastMessage(response.head(), receipt, parser())
        : List.of();
  }

  private @Nullable TaskResult result(JobView view) {
    return view.state() == JobState.COMPLETED
        ? store
            .task(response.job(), ResponseStore.STAGE, ResponseStore.TASK)
            .map(TaskView::result)
            .orElseThrow(ResponseDeleted::new)
        : null;
  }

  static JsonObject receipt(TaskResult result) {
    return result.receipt() == null ? JsonObject.create() : result.receipt();
  }

  private void readJournal() {
    OutputSoFar more = output();
    while (!more.pieces().isEmpty()) {
      if (more.from() == 0) {
        next = 0; // the first time, or the output restarted
      }
      more.pieces().forEach(chunk -> chunk.pieceOfEachToken().forEach(this::token));
      position = more.next();
      more = output();
    }
  }

  private OutputSoFar output() {
    return store.outputSoFar(response.job(), ResponseStore.STAGE, ResponseStore.TASK, position);
  }

  private void token(String piece) {
    if (next < replayed.size()) {
      if (!replayed.get(next++).equals(piece)) {
        throw new OutputChanged();
      }
      return;
    }
    if (parser == null) {
      parser = parser(); // first: if the store fails, the token is read again
    }
    next++;
    replayed.add(piece);
    events.token(parser.feed(piece), List.of());
  }

  private AssistantOutputParser parser() {
    return parsers.parser(frozenTerms(), data());
  }

  /** The terms that the worker froze before the first token; empty if it has not. */
  private JsonObject frozenTerms() {
    JsonObject terms = JsonObject.create();
    long last = 0;
    List<LogEntry> page = store.events(response.job(), last, LOG_PAGE);
    while (!page.isEmpty()) {
      for (LogEntry entry : page) {
        if (entry.fact() instanceof Fact.TermsFrozen frozen) {
          terms = frozen.terms();
        }
        last = entry.number();
      }
      page = store.events(response.job(), last, LOG_PAGE);
    }
    return terms;
  }

  /** All parameters of the task: those of its stage and of its input. */
  private JsonObject data() {
    JobView view = store.find(response.job()).orElseThrow(ResponseDeleted::new);
    TaskView task =
        store
            .task(response.job(), ResponseStore.STAGE, ResponseStore.TASK)
            .orElseThrow(ResponseDeleted::new);
    JsonObject data = JsonObject.create();
    data.values().putAll(view.stages().getFirst().spec().data().values());
    if (task.input() instanceof Map<?, ?> input) {
      data.values().putAll(JsonObject.of(input, "the input").values());
    }
    return data;
  }
}
