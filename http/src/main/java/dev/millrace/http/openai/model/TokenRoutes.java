package dev.millrace.http.openai.model;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.TokenIds;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.direct.DirectInference;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The routes of tokens as llama-server has them; {@code model} names another than the default. */
public final class TokenRoutes {
  private final InferenceAccess models;

  public TokenRoutes(InferenceAccess models) {
    this.models = models;
  }

  public List<Route> routes() {
    return List.of(
        new Route("POST", "/tokenize", "tokenize", KeyScope.SUBMIT, this::tokenize),
        new Route("POST", "/detokenize", "detokenize", KeyScope.SUBMIT, this::detokenize));
  }

  private ApiResponse tokenize(ApiRequest call) {
    JsonObject body = call.bodyObject();
    DirectInference inference = models.require();
    String model = GenerateData.model(body);
    List<Integer> tokens = tokens(body, inference, model);
    List<Object> all = new ArrayList<>();
    for (int id : tokens) {
      all.add(
          body.flag("with_pieces", false)
              ? JsonObject.create().put("id", id).put("piece", piece(inference, model, id))
              : (Object) id);
    }
    return ApiResponse.ok(JsonObject.create().put("tokens", all));
  }

  /** The content may mix texts and ids; special tokens are added to the first text only. */
  private static List<Integer> tokens(
      JsonObject body, DirectInference inference, @Nullable String model) {
    Object content = body.get("content");
    boolean parse = body.flag("parse_special", true);
    boolean add = body.flag("add_special", false);
    List<?> parts =
        content instanceof List<?> list ? list : content == null ? List.of() : List.of(content);
    TokenIds.require(parts, "content", inference, model);
    List<Integer> tokens = new ArrayList<>();
    for (Object part : parts) {
      if (part instanceof Number id) {
        tokens.add(id.intValue());
      } else {
        boolean first = tokens.isEmpty();
        for (int id : inference.tokenize(model, String.valueOf(part), add && first, parse)) {
          tokens.add(id);
        }
      }
    }
    return tokens;
  }

  /** The text of a token, or its bytes if they are not whole characters. */
  private static Object piece(DirectInference inference, @Nullable String model, int id) {
    byte[] bytes = inference.tokenBytes(model, id);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      List<Integer> values = new ArrayList<>();
      for (byte each : bytes) {
        values.add(each & 0xff);
      }
      return values;
    }
  }

  private ApiResponse detokenize(ApiRequest call) {
    JsonObject body = call.bodyObject();
    DirectInference inference = models.require();
    String model = GenerateData.model(body);
    List<@Nullable Object> tokens = body.list("tokens");
    TokenIds.require(tokens, "tokens", inference, model);
    String content = inference.detokenize(model, TokenIds.of(tokens), true);
    return ApiResponse.ok(JsonObject.create().put("content", content));
  }
}
