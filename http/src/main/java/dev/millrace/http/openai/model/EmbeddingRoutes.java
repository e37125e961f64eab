package dev.millrace.http.openai.model;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.request.TokenIds;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.EmbedInput;
import dev.millrace.server.infer.direct.EmbedRequest;
import dev.millrace.server.infer.direct.EmbeddingResult;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The route of embeddings. Texts whose client disconnects before their turn are not computed. */
public final class EmbeddingRoutes {
  private final InferenceAccess models;

  public EmbeddingRoutes(InferenceAccess models) {
    this.models = models;
  }

  public List<Route> routes() {
    return List.of(
        new Route("POST", "/v1/embeddings", "createEmbedding", KeyScope.SUBMIT, this::embed));
  }

  private ApiResponse embed(ApiRequest call) throws InterruptedException {
    JsonObject body = call.bodyObject();
    List<EmbedInput> inputs = inputs(body.get("input"));
    Integer dimensions = body.has("dimensions") ? (int) body.integer("dimensions") : null;
    EmbedRequest request = new EmbedRequest(GenerateData.model(body), inputs, dimensions);
    DirectInference direct = models.require();
    EmbeddingResult result = ClientWatch.of(call).run(() -> direct.embed(request));
    boolean base64 = "base64".equals(body.string("encoding_format", "float"));
    List<JsonObject> data = new ArrayList<>();
    for (float[] vector : result.vectors()) {
      data.add(
          JsonObject.create()
              .put("object", "embedding")
              .put("index", data.size())
              .put("embedding", base64 ? base64(vector) : numbers(vector)));
    }
    return ApiResponse.ok(
        JsonObject.create()
            .put("object", "list")
            .put("data", data)
            .put("model", result.model())
            .put(
                "usage",
                JsonObject.create()
                    .put("prompt_tokens", result.tokens())
                    .put("total_tokens", result.tokens())));
  }

  /** A text, texts, the ids of tokens, or lists of ids. */
  private static List<EmbedInput> inputs(@Nullable Object input) {
    List<?> many =
        input instanceof List<?> list && !(list.getFirst() instanceof Number) ? list : null;
    if (many == null) {
      return List.of(input(input, "input"));
    }
    List<EmbedInput> inputs = new ArrayList<>();
    for (Object each : many) {
      inputs.add(input(each, "input[" + inputs.size() + "]"));
    }
    return inputs;
  }

  private static EmbedInput input(@Nullable Object input, String at) {
    if (input instanceof List<?> ids) {
      return new EmbedInput.Tokens(TokenIds.of(ids));
    }
    String text = String.valueOf(input);
    if (text.isEmpty()) {
      throw OpenAiError.invalid(at, "must not be empty");
    }
    return new EmbedInput.Text(text);
  }

  private static List<Double> numbers(float[] vector) {
    List<Double> numbers = new ArrayList<>(vector.length);
    for (float each : vector) {
      numbers.add(Double.valueOf(Float.toString(each)));
    }
    return numbers;
  }

  /** Floats of 32 bits, the least significant byte first. */
  private static String base64(float[] vector) {
    ByteBuffer bytes = ByteBuffer.allocate(vector.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(vector);
    return Base64.getEncoder().encodeToString(bytes.array());
  }
}
