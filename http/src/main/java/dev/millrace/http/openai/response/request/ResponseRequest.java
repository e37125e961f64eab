package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.stream.ResponseIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a response, checked.
 *
 * @param input its own items, without those of earlier responses; may have references
 * @param instructions null: none
 * @param previous the id of the response that it continues; null: none
 * @param delivery how the client gets it
 * @param truncates whether the oldest items are left out if the context is too small
 * @param parameters of a generate task, without messages
 * @param fields that the response repeats, without model
 */
public record ResponseRequest(
    List<Map<String, @Nullable Object>> input,
    @Nullable String instructions,
    @Nullable String previous,
    Delivery delivery,
    boolean truncates,
    JsonObject parameters,
    JsonObject fields) {

  /**
   * How the client gets a response.
   *
   * @param flex whether it has the priority of the queue
   */
  public record Delivery(boolean store, boolean background, boolean stream, boolean flex) {}

  /**
   * @param body as the OpenAPI document allows it
   * @param ids of the response to be made
   * @param storable whether this server stores responses
   */
  public static ResponseRequest of(JsonObject body, ResponseIds ids, boolean storable) {
    Delivery delivery = delivery(body, storable);
    ResponseParameters read = ResponseParameters.of(body);
    return new ResponseRequest(
        input(body.get("input"), ids),
        body.string("instructions", null),
        body.string("previous_response_id", null),
        delivery,
        "auto".equals(body.get("truncation")),
        read.parameters(),
        new RequestFields(body, read.tools()).of(delivery));
  }

  private static Delivery delivery(JsonObject body, boolean storable) {
    GenerateData.checkStreamOptions(body);
    boolean store = body.flag("store", storable);
    boolean background = body.flag("background", false);
    if (store && !storable) {
      throw OpenAiError.invalid("store", "must be false: this server stores no responses");
    }
    if (background && !storable) {
      throw OpenAiError.invalid("background", "must be false: this server stores no responses");
    }
    if (background && !store) {
      throw OpenAiError.invalid("background", "needs store: the response is read from there");
    }
    boolean flex = !GenerateData.isInteractive(body);
    return new Delivery(store, background, body.flag("stream", false), flex);
  }

  private static List<Map<String, @Nullable Object>> input(
      @Nullable Object input, ResponseIds ids) {
    if (input instanceof String text) {
      return List.of(InputItem.ofText(text, ids));
    }
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    if (input instanceof List<?> given) {
      for (int i = 0; i < given.size(); i++) {
        items.add(InputItem.of(given.get(i), i, ids));
      }
    }
    return items;
  }

  /** The model that it names; null: the default. */
  public @Nullable String model() {
    return parameters.string("model", null);
  }

  /** The most tokens of the output, if it says so. */
  public long maxTokens(long otherwise) {
    return parameters.integer("max_tokens", otherwise);
  }

  /** The parameters of a generate task that answers these items. */
  public JsonObject taskData(List<Map<String, @Nullable Object>> items) {
    JsonObject data =
        JsonObject.create().put("messages", ItemTranslator.messages(instructions, items));
    data.values().putAll(parameters.values());
    return data;
  }
}
