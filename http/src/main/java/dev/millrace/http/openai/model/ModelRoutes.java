package dev.millrace.http.openai.model;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.ServedModel;
import java.util.List;

/** The routes of models: all, and one by its name, which may contain slashes. */
public final class ModelRoutes {
  private final InferenceAccess models;

  public ModelRoutes(InferenceAccess models) {
    this.models = models;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/models", "listModels", KeyScope.READ, _ -> list()),
        new Route("GET", "/v1/models/{model*}", "getModel", KeyScope.READ, this::get));
  }

  private List<ServedModel> served() {
    DirectInference inference = models.find();
    return inference == null ? List.of() : inference.models();
  }

  private ApiResponse list() {
    return ApiResponse.ok(
        JsonObject.create()
            .put("object", "list")
            .put("data", served().stream().map(ModelRoutes::json).toList()));
  }

  private ApiResponse get(ApiRequest call) {
    String name = call.pathParameter("model");
    List<ServedModel> served = served();
    for (ServedModel model : served) {
      if (model.name().equals(name) || name.equals("default") && model == served.getFirst()) {
        return ApiResponse.ok(json(model));
      }
    }
    throw notFound(name, served);
  }

  private static Problem notFound(String name, List<ServedModel> served) {
    String all = String.join(", ", served.stream().map(ServedModel::name).toList());
    String rule = "\"" + name + "\" is not served here; served: " + all;
    return new Problem(Problem.Kind.NOT_FOUND, "model_not_found", "model " + rule)
        .withField(new Problem.Field("model", rule, Problem.Flaw.VALUE));
  }

  /** OpenAI's fields, and what the model can do. */
  private static JsonObject json(ServedModel model) {
    JsonObject meta =
        JsonObject.create()
            .put("n_ctx", model.context())
            .put("generates", model.generates())
            .put("embeds", model.embeds());
    return JsonObject.create()
        .put("id", model.name())
        .put("object", "model")
        .put("created", model.createdSeconds())
        .put("owned_by", "millrace")
        .put("meta", meta);
  }
}
