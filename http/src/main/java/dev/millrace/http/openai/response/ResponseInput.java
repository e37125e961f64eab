package dev.millrace.http.openai.response;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.request.ResponseRequest;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.openai.response.stream.ResponseIds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the whole input of a response: the input and the output of the one that it continues,
 * then its own items, with references replaced by what they refer to.
 *
 * @param owner the name of the caller's key
 */
record ResponseInput(ResponseStore responses, String owner) {
  private static final Set<String> CONTINUED = Set.of("completed", "incomplete");

  List<Map<String, @Nullable Object>> of(ResponseRequest request) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    String previous = request.previous();
    if (previous != null) {
      items.addAll(conversation(previous));
    }
    List<Map<String, @Nullable Object>> own = request.input();
    for (int i = 0; i < own.size(); i++) {
      items.add(resolved(own.get(i), "input[" + i + "]"));
    }
    requireCalls(items, items.size() - own.size());
    if (items.isEmpty()) {
      throw OpenAiError.invalid("input", "has no items");
    }
    return items;
  }

  /** Input and output of an earlier response, which has those of all before it. */
  private List<Map<String, @Nullable Object>> conversation(String id) {
    StoredResponse earlier = responses.find(id, owner).orElseThrow(() -> notFound(id));
    JsonObject response = responses.read(earlier).orElseThrow(() -> notFound(id));
    if (!CONTINUED.contains(response.string("status"))) {
      throw OpenAiError.invalid(
          "previous_response_id",
          "names a response that is %s: only one that is completed or incomplete can be continued"
              .formatted(response.string("status")));
    }
    List<Map<String, @Nullable Object>> items = new ArrayList<>(responses.inputItems(earlier));
    items.addAll(output(response));
    return items;
  }

  private static RuntimeException notFound(String id) {
    return OpenAiError.withCode(
        "previous_response_not_found",
        "previous_response_id",
        "\"%s\" is not found: it was never stored, was deleted, or is too old".formatted(id));
  }

  private static List<Map<String, @Nullable Object>> output(JsonObject response) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (Object item : response.list("output")) {
      items.add(JsonObject.of(item, "an item").values());
    }
    return items;
  }

  private Map<String, @Nullable Object> resolved(Map<String, @Nullable Object> item, String path) {
    if (!"item_reference".equals(item.get("type"))) {
      return item;
    }
    String id = String.valueOf(item.get("id"));
    Optional<Map<String, @Nullable Object>> found =
        ResponseIds.ofItem(id)
            .flatMap(ids -> responses.find(ids, owner))
            .flatMap(response -> find(response, id));
    return found.orElseThrow(
        () ->
            OpenAiError.invalid(
                path + ".id", OpenAiError.quoted(id) + " is not found: no stored response has it"));
  }

  private Optional<Map<String, @Nullable Object>> find(StoredResponse response, String id) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>(responses.inputItems(response));
    responses.read(response).ifPresent(whole -> all.addAll(output(whole)));
    return all.stream().filter(item -> id.equals(item.get("id"))).findFirst();
  }

  /**
   * Refuses the output of a call that is not there: no template could write it.
   *
   * @param earlier how many items are not of the request itself
   */
  private static void requireCalls(List<Map<String, @Nullable Object>> items, int earlier) {
    Set<Object> calls = new HashSet<>();
    for (int i = 0; i < items.size(); i++) {
      Map<String, @Nullable Object> item = items.get(i);
      Object call = item.get("call_id");
      if ("function_call".equals(item.get("type")) && call != null) {
        calls.add(call);
      } else if (call != null && !calls.contains(call)) {
        throw OpenAiError.invalid(
            i < earlier ? "input" : "input[" + (i - earlier) + "].call_id",
            "is %s, and no earlier item is a function_call with it"
                .formatted(OpenAiError.quoted(call)));
      }
    }
  }
}
