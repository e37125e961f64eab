package dev.millrace.http.inference;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.AnswerFinish;
import dev.millrace.server.infer.direct.AnswerUsage;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.TokenLogprobs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An answer whose events a test makes. */
public final class FakeGeneration implements DirectGeneration {
  private final LinkedBlockingQueue<AnswerEvent> events = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();
  private int tokens;

  private volatile boolean progresses;

  /** Counted down when it is closed. */
  public final CountDownLatch closed = new CountDownLatch(1);

  public FakeGeneration parts(OutputPart... parts) {
    tokens++;
    events.add(new AnswerEvent.TokenChosen(tokens, "", List.of(parts), null));
    return this;
  }

  /** Reports progress of the prompt all the time, until there is something else. */
  public FakeGeneration progressing() {
    progresses = true;
    return this;
  }

  /** A token of the answer's text. */
  public FakeGeneration text(String token) {
    tokens++;
    text.append(token);
    TokenLogprobs.Entry entry =
        new TokenLogprobs.Entry(tokens, token, token.getBytes(StandardCharsets.UTF_8), -0.5f);
    events.add(
        new AnswerEvent.TokenChosen(
            tokens,
            token,
            List.of(new OutputPart.Text(token)),
            new TokenLogprobs(entry, List.of(entry))));
    return this;
  }

  public FakeGeneration end(AnswerFinish finish, OutputPart... rest) {
    events.add(
        new AnswerEvent.Ended(
            new AnswerEnd(
                finish,
                finish == AnswerFinish.FAILED ? "no memory" : "",
                List.of(rest),
                text.toString(),
                new AnswerUsage(5, 2, tokens, 1),
                7,
                JsonObject.create())));
    return this;
  }

  @Override
  public String model() {
    return "fake";
  }

  @Override
  public int promptTokens() {
    return 5;
  }

  @Override
  public Optional<AnswerEvent> next(Duration atMost) throws InterruptedException {
    AnswerEvent event = events.poll(progresses ? 0 : atMost.toNanos(), TimeUnit.NANOSECONDS);
    return event == null && progresses
        ? Optional.of(new AnswerEvent.PromptProgress(1, 2))
        : Optional.ofNullable(event);
  }

  @Override
  public void cancel() {
    end(AnswerFinish.CANCELLED);
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
