package dev.millrace.server.infer.direct;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.error.EngineClosedException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.OutputRecorder.CopiedLogprobs;
import dev.millrace.server.infer.run.ResolvedTask;
import dev.millrace.server.infer.run.TokenCounters;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A generation whose tokens are queued for the caller. The engine's thread only leaves values here;
 * the caller's thread reads calls and thoughts out of the text.
 */
final class StreamedGeneration implements DirectGeneration, GenerationListener {
  private final ModelLease<LoadedModel> lease;
  private final TokenCounters counters;
  private final BooleanSupplier closing;
  private final int promptTokens;
  private final AnswerReader reader; // used by the caller's thread only
  private final ResolvedTask resolved;
  private final Queue<ChosenToken> tokens = new ArrayDeque<>(); // guarded by this
  private AnswerEvent.@Nullable PromptProgress progress; // guarded by this; the latest
  private @Nullable GenerationResult result; // guarded by this
  private @Nullable Generation generation; // set by start()

  /** A token as the engine reports it. */
  record ChosenToken(int id, String text, @Nullable CopiedLogprobs logprobs) {}

  /**
   * @param lease closed with this
   * @param closing whether all models are being closed
   */
  StreamedGeneration(
      ResolvedTask resolved,
      ModelLease<LoadedModel> lease,
      TokenCounters counters,
      BooleanSupplier closing) {
    this.resolved = resolved;
    this.lease = lease;
    this.counters = counters;
    this.closing = closing;
    this.promptTokens = resolved.prompt().tokens().length;
    this.reader =
        new AnswerReader(
            resolved,
            new AssistantOutputParser(resolved.outputFormat()),
            lease.item().weightless()::tokenBytes);
  }

  /**
   * @throws TaskRefused if the engine refuses the request
   * @throws ModelLoadException if the engine has ended
   */
  void start(boolean interactive) throws InterruptedException {
    LoadedModel model = lease.item();
    try {
      GenerationRequest request =
          resolved
              .request(model.weightless(), model.orderAfterQueue())
              .withInteractive(interactive);
      generation = model.engine().submit(request, this);
    } catch (EngineClosedException e) {
      lease.markBroken();
      throw new ModelLoadException("model \"%s\" no longer runs".formatted(model.name()), e);
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public synchronized void token(int id, String text, @Nullable Logprobs logprobs) {
    tokens.add(
        new ChosenToken(id, text, logprobs == null ? null : CopiedLogprobs.of(id, logprobs)));
    notifyAll();
  }

  @Override
  public synchronized void progress(int done, int total) {
    progress = new AnswerEvent.PromptProgress(done, total);
    notifyAll();
  }

  @Override
  public synchronized void ended(GenerationResult ended) {
    counters.countGenerated(ended, 0);
    result = ended;
    notifyAll();
  }

  @Override
  public String model() {
    return lease.item().name();
  }

  @Override
  public int promptTokens() {
    return promptTokens;
  }

  @Override
  public Optional<AnswerEvent> next(Duration atMost) throws InterruptedException {
    ChosenToken token;
    synchronized (this) {
      awaitEvent(System.nanoTime() + atMost.toNanos());
      if (progress != null) {
        AnswerEvent event = progress;
        progress = null;
        return Optional.of(event);
      }
      token = tokens.poll();
      if (token == null && (result == null || reader.hasEnded())) {
        return Optional.empty();
      }
    }
    return Optional.of(token == null ? end() : reader.read(token));
  }

  private synchronized void awaitEvent(long until) throws InterruptedException {
    for (long left = until - System.nanoTime();
        progress == null && tokens.isEmpty() && result == null && left > 0;
        left = until - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
  }

  private AnswerEvent end() {
    GenerationResult end;
    synchronized (this) {
      end = Objects.requireNonNull(result);
    }
    boolean stopped = end.finish() == FinishReason.RELEASED;
    if (stopped && !closing.getAsBoolean()) {
      lease.markBroken(); // the engine has ended by itself
    }
    AnswerEvent event = new AnswerEvent.Ended(reader.end(end));
    lease.close();
    return event;
  }

  @Override
  public void cancel() {
    if (generation != null) {
      generation.cancel();
    }
  }

  @Override
  public void close() {
    cancel();
    lease.close();
  }
}
