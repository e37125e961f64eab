package dev.millrace.server.infer.direct;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.server.infer.direct.StreamedGeneration.ChosenToken;
import dev.millrace.server.infer.direct.TokenLogprobs.Entry;
import dev.millrace.server.infer.run.AnswerContent;
import dev.millrace.server.infer.run.OutputRecorder;
import dev.millrace.server.infer.run.OutputRecorder.CopiedLogprobs;
import dev.millrace.server.infer.run.ReceiptJson;
import dev.millrace.server.infer.run.ResolvedTask;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads the tokens of one answer as events. For one thread. */
final class AnswerReader {
  private final ResolvedTask resolved;
  private final AssistantOutputParser parser;
  private final IntFunction<byte[]> tokenBytes;
  private final OutputRecorder recorder;
  private boolean ended;

  AnswerReader(
      ResolvedTask resolved, AssistantOutputParser parser, IntFunction<byte[]> tokenBytes) {
    this.resolved = resolved;
    this.parser = parser;
    this.tokenBytes = tokenBytes;
    this.recorder = new OutputRecorder(OutputChunk.EMPTY, tokenBytes);
  }

  boolean hasEnded() {
    return ended;
  }

  AnswerEvent read(ChosenToken token) {
    recorder.add(token.text(), token.logprobs());
    return new AnswerEvent.TokenChosen(
        token.id(), token.text(), parser.feed(token.text()), logprobs(token.logprobs()));
  }

  private @Nullable TokenLogprobs logprobs(@Nullable CopiedLogprobs from) {
    if (from == null) {
      return null;
    }
    List<Entry> top = new ArrayList<>();
    for (int rank = 0; rank < from.top().length; rank++) {
      top.add(entry(from.top()[rank], from.topLogprobs()[rank]));
    }
    return new TokenLogprobs(entry(from.token(), from.logprob()), top);
  }

  private Entry entry(int token, float logprob) {
    byte[] bytes = tokenBytes.apply(token).clone();
    return new Entry(token, new String(bytes, StandardCharsets.UTF_8), bytes, logprob);
  }

  AnswerEnd end(GenerationResult result) {
    ended = true;
    List<OutputPart> rest = new ArrayList<>(parser.feed(result.rest()));
    rest.addAll(parser.end(AnswerContent.isCut(result)));
    AnswerContent content = AnswerContent.of(resolved.outputFormat(), result);
    AnswerFinish finish = finish(result, content);
    String name = finish.name().toLowerCase(Locale.ROOT);
    JsonObject receipt = ReceiptJson.of(resolved, result, name, recorder, content);
    return new AnswerEnd(
        finish,
        finish == AnswerFinish.FAILED ? reason(result) : "",
        rest,
        result.text(),
        new AnswerUsage(
            result.usage().promptTokens(),
            Math.min(result.usage().promptTokens(), result.usage().cachedTokens()),
            result.tokens().length,
            recorder.reasoningTokens(resolved.outputFormat())),
        resolved.terms().parameters().seed(),
        receipt);
  }

  private static String reason(GenerationResult result) {
    return result.finish() == FinishReason.RELEASED
        ? "the engine stopped: " + result.reason()
        : result.reason();
  }

  private static AnswerFinish finish(GenerationResult result, AnswerContent content) {
    return switch (result.finish()) {
      case STOP -> content.calls().isEmpty() ? AnswerFinish.STOP : AnswerFinish.TOOL_CALLS;
      case LENGTH -> AnswerFinish.LENGTH;
      case CANCELLED -> AnswerFinish.CANCELLED;
      case RELEASED, REVOKED, FAILED -> AnswerFinish.FAILED;
    };
  }
}
