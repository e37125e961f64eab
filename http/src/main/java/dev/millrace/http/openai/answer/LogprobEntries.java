package dev.millrace.http.openai.answer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.direct.TokenLogprobs;
import java.util.ArrayList;
import java.util.List;

/** Log probabilities of tokens as chat answers have them. */
public final class LogprobEntries {
  /** What OpenAI sends for a token without any weight: JSON has no infinity. */
  private static final double NO_WEIGHT = -9999.0;

  private LogprobEntries() {}

  public static JsonObject entry(TokenLogprobs token) {
    return token(token.chosen())
        .put("top_logprobs", token.top().stream().map(LogprobEntries::token).toList());
  }

  private static JsonObject token(TokenLogprobs.Entry entry) {
    List<Integer> bytes = new ArrayList<>();
    for (byte each : entry.bytes()) {
      bytes.add(each & 0xff);
    }
    return JsonObject.create()
        .put("token", entry.text())
        .put("logprob", value(entry.logprob()))
        .put("bytes", bytes);
  }

  /** A log probability that JSON can hold. */
  public static double value(float logprob) {
    return Float.isFinite(logprob) ? Double.parseDouble(Float.toString(logprob)) : NO_WEIGHT;
  }
}
