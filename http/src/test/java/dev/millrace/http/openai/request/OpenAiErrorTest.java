package dev.millrace.http.openai.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLoadException;
import org.junit.jupiter.api.Test;

class OpenAiErrorTest {
  private static JsonObject error(Throwable thrown) {
    return OpenAiError.object((Problem) OpenAiError.translate(thrown, "prompt"));
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
  void modelThatCannotBeLoadedIsAnErrorOfTheServer() {
    Problem problem =
        (Problem) OpenAiError.translate(new ModelLoadException("no memory"), "messages");
    assertThat(problem.kind().status()).isEqualTo(503);
    assertThat(problem.headers()).containsKey("Retry-After");
    assertThat(OpenAiError.object(problem).string("type")).isEqualTo("server_error");
    IllegalStateException other = new IllegalStateException();
    assertThat(OpenAiError.translate(other, "messages")).isSameAs(other);
  }
}
