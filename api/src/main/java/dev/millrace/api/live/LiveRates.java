package dev.millrace.api.live;

import dev.millrace.core.json.JsonObject;

/**
 * What a server does a second, over the last seconds.
 *
 * @param generated tokens that were generated
 * @param prompt tokens of prompts that were computed
 * @param tasks attempts that completed or failed
 */
public record LiveRates(double generated, double prompt, double tasks) {

  static LiveRates fromJson(JsonObject in) {
    return new LiveRates(in.number("generated", 0), in.number("prompt", 0), in.number("tasks", 0));
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("generated", generated)
        .put("prompt", prompt)
        .put("tasks", tasks);
  }
}
