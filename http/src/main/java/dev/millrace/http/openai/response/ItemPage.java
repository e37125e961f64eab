package dev.millrace.http.openai.response;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.ApiRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A page of items in OpenAI's form: the newest first, unless the request says otherwise. */
final class ItemPage {
  private static final int DEFAULT_LIMIT = 20;

  private ItemPage() {}

  static JsonObject of(List<Map<String, @Nullable Object>> items, ApiRequest call) {
    List<Map<String, @Nullable Object>> ordered = new ArrayList<>(items);
    if (!call.query("order").map("asc"::equals).orElse(false)) {
      Collections.reverse(ordered);
    }
    int limit = call.query("limit").map(Integer::valueOf).orElse(DEFAULT_LIMIT);
    int from = call.query("after").map(id -> after(ordered, id)).orElse(0);
    int to = Math.min(ordered.size(), from + limit);
    List<Map<String, @Nullable Object>> page = ordered.subList(from, to);
    return JsonObject.create()
        .put("object", "list")
        .put("data", page)
        .put("first_id", page.isEmpty() ? null : page.getFirst().get("id"))
        .put("last_id", page.isEmpty() ? null : page.getLast().get("id"))
        .put("has_more", to < ordered.size());
  }

  private static int after(List<Map<String, @Nullable Object>> items, String id) {
    for (int i = 0; i < items.size(); i++) {
      if (id.equals(items.get(i).get("id"))) {
        return i + 1;
      }
    }
    throw OpenAiError.invalid("after", "names no item of this response");
  }
}
