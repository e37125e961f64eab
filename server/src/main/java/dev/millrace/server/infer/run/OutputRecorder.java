package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.toolcall.OutputFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects what is reported of an output token by token: texts and log probabilities. The engine's
 * thread adds; others read after the generation has ended.
 */
public final class OutputRecorder {
  /** A log probability of zero weight; JSON has no infinity. */
  private static final double LEAST = -9999;

  private final IntFunction<byte[]> tokenBytes;
  private final List<String> pieces;
  private final List<@Nullable CopiedLogprobs> logprobs;

  /**
   * Log probabilities that stay as they are.
   *
   * @param top the likeliest tokens
   * @param topLogprobs theirs
   */
  public record CopiedLogprobs(int token, float logprob, int[] top, float[] topLogprobs) {
    public static CopiedLogprobs of(int token, Logprobs from) {
      int[] top = new int[from.alternatives()];
      float[] values = new float[top.length];
      for (int rank = 0; rank < top.length; rank++) {
        top[rank] = from.token(rank);
        values[rank] = from.logprob(rank);
      }
      return new CopiedLogprobs(token, from.chosen(), top, values);
    }
  }

  /**
   * @param prior the output that the generation resumes from; its log probabilities are not known
   * @param tokenBytes the bytes of a token
   */
  public OutputRecorder(OutputChunk prior, IntFunction<byte[]> tokenBytes) {
    this.tokenBytes = tokenBytes;
    this.pieces = new ArrayList<>(prior.pieceOfEachToken());
    this.logprobs = new ArrayList<>(Collections.nCopies(pieces.size(), null));
  }

  /** Adds the next token. */
  public void add(String piece, @Nullable CopiedLogprobs values) {
    pieces.add(piece);
    logprobs.add(values);
  }

  List<String> pieces() {
    return pieces;
  }

  /** How many of the tokens are thoughts, tags included. */
  public int reasoningTokens(OutputFormat format) {
    return reasoningTokens(pieces, format);
  }

  /**
   * The same for an output that was recorded earlier.
   *
   * @param pieces the text of each token
   */
  public static int reasoningTokens(List<String> pieces, OutputFormat format) {
    ReasoningSplitter.Tags tags = format.thoughtTags();
    if (tags == null) {
      return 0;
    }
    ReasoningSplitter splitter = new ReasoningSplitter(tags, format.thoughtsOpened());
    int count = 0;
    for (String piece : pieces) {
      boolean before = splitter.isThinking();
      splitter.feed(piece);
      count += before || splitter.isThinking() ? 1 : 0;
    }
    return count;
  }

  /** One object for each token; null where an earlier attempt chose it. */
  List<@Nullable Object> logprobsJson() {
    List<@Nullable Object> all = new ArrayList<>();
    for (CopiedLogprobs each : logprobs) {
      all.add(each == null ? null : json(each).values());
    }
    return all;
  }

  private JsonObject json(CopiedLogprobs from) {
    List<Object> top = new ArrayList<>();
    for (int rank = 0; rank < from.top.length; rank++) {
      top.add(json(from.top[rank], from.topLogprobs[rank]).values());
    }
    return json(from.token, from.logprob).put("top", top);
  }

  private JsonObject json(int token, float logprob) {
    byte[] bytes = tokenBytes.apply(token);
    List<Object> numbers = new ArrayList<>(bytes.length);
    for (byte each : bytes) {
      numbers.add((long) (each & 0xFF));
    }
    return JsonObject.create()
        .put("id", (long) token)
        .put("token", new String(bytes, StandardCharsets.UTF_8))
        .put("bytes", numbers)
        .put("logprob", Math.max(LEAST, logprob));
  }
}
