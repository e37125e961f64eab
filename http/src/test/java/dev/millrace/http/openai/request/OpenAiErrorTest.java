package dev.millrace.http.openai.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLoadException;
import org.junit.jupiter.api.Test;

class OpenAiErrorTest {
  private static final ClientFields CHAT = ClientFields.chat(JsonObject.create());

  private static JsonObject error(Throwable thrown) {
    return OpenAiError.object(
        (Problem) OpenAiError.translate(thrown, ClientFields.raw(JsonObject.create(), "prompt")));
  }

  @Test
  void refusedParameterIsNamedOnce() {
    JsonObject error =
        error(TaskRefused.ofParameter("top_k", "parameter \"top_k\" is -1; it must be 0"));
    assertThat(error.toString())
        .isEqualTo(
            "{\"message\":\"top_k is -1; it must be 0\",\"type\":\"invalid_request_error\","
                + "\"param\":\"top_k\",\"code\":\"invalid_value\"}");
    assertThat(error(TaskRefused.ofParameter("stop", "too many")).string("message"))
        .isEqualTo("stop is refused: too many");
    assertThat(error(TaskRefused.ofParameter("model", "model \"x\" embeds")).string("message"))
        .isEqualTo("model \"x\" embeds");
  }

  @Test
  void tokensOfAPromptAreTheFieldThatTheClientKnows() {
    JsonObject error =
        error(TaskRefused.ofParameter("prompt_tokens", "parameter \"prompt_tokens\" has token 9"));
    assertThat(error.string("param")).isEqualTo("prompt");
    assertThat(error.string("message")).isEqualTo("prompt has token 9");
  }

  @Test
  void parameterHasTheNameThatTheClientWrote() {
    ClientFields chat =
        ClientFields.chat(
            Json.object("{\"n_predict\":1,\"repetition_penalty\":2,\"top_logprobs\":3}"));
    for (String[] names :
        new String[][] {
          {"max_tokens", "n_predict"},
          {"repeat_penalty", "repetition_penalty"},
          {"logprobs", "top_logprobs"},
          {"messages: content", "messages"},
          {"tools", "tools"}
        }) {
      TaskRefused refused = TaskRefused.ofParameter(names[0], names[0] + ": is wrong");
      JsonObject error = OpenAiError.object((Problem) OpenAiError.translate(refused, chat));
      assertThat(error.string("param")).isEqualTo(names[1]);
      assertThat(error.string("message")).isEqualTo(names[1] + " is refused: is wrong");
    }
  }

  @Test
  void modelThatCannotBeLoadedIsAnErrorOfTheServer() {
    Problem problem = (Problem) OpenAiError.translate(new ModelLoadException("no memory"), CHAT);
    assertThat(problem.kind().status()).isEqualTo(503);
    assertThat(problem.headers()).containsKey("Retry-After");
    assertThat(OpenAiError.object(problem).string("type")).isEqualTo("server_error");
    IllegalStateException other = new IllegalStateException();
    assertThat(OpenAiError.translate(other, CHAT)).isSameAs(other);
  }
}
