package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.task.Failure;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.model.NamedModel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Invalid parameters are refused by name, without a retry, and with nrvna's texts where it has
 * some.
 */
@Timeout(60)
class RefusedTasksTest {
  private static Inference inference;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama(), TinyModels.encoder()));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static String refusal(String input, String data) throws Exception {
    return refusal(FakeTaskContext.generate(input, data));
  }

  private static String refusal(FakeTaskContext task) throws Exception {
    Failure failure = TaskRunFixture.failure(inference, task);
    assertThat(failure.retryable()).isFalse();
    assertThat(failure.partial()).isNull();
    assertThat(task.frozen).as("no terms were frozen").isNull();
    return failure.message();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "temperature     | -1          | a number from 0 to 100",
        "temperature     | \"hot\"     | a number from 0 to 100",
        "top_k           | 1.5         | a whole number, at least 0 (0 is off)",
        "top_p           | 0           | a number above 0 and at most 1 (1 is off)",
        "min_p           | 2           | a number from 0 to 1 (0 is off)",
        "repeat_penalty  | 0           | a number above 0 and at most 100 (1 is off)",
        "repeat_last_n   | -2          | a whole number, at least -1 (-1 is the whole text)",
        "presence_penalty| 101         | a number from -100 to 100",
        "frequency_penalty| [1]        | a number from -100 to 100",
        "max_tokens      | 0           | a whole number, at least 1",
        "max_tokens      | 3000000000  | a whole number, at least 1",
        "seed            | 1e30        | a whole number of 64 bits",
        "ignore_eos      | 1           | true or false",
        "thinking        | \"no\"      | true or false",
        "model           | 7           | text",
        "stop            | [\"a\",\"\"]| a text that is not empty, or a list of such",
        "tools           | {}          | a list of functions, each an object",
        "tools           | [{}]        | {\"type\": \"function\", \"function\": {\"name\": …,"
            + " \"parameters\": …}}",
        "tool_choice     | \"maybe\"   | \"none\", \"auto\", \"required\", or an object of type"
            + " function or allowed_tools",
        "parallel_tool_calls | 1       | true or false",
        "logprobs        | 21          | a whole number from 0 to 20",
        "record_pieces   | 1           | true or false",
        "continue_final_message | 1    | true or false",
        "chat_template_kwargs | []     | an object of variables of the chat template",
        "reasoning_effort | \"huge\"   | one of none, minimal, low, medium, high, xhigh, max",
        "json_schema     | [1]         | a JSON schema: an object, or its text",
        "logit_bias      | [1]         | an object of numbers from -1e6 to 1e6 by token id",
      })
  void anInvalidValueIsNamedWithItsRule(String name, String value, String rule) throws Exception {
    assertThat(refusal("x", "{\"%s\": %s}".formatted(name, value)))
        .startsWith("parameter \"" + name + "\" is ")
        .endsWith("; it must be " + rule);
  }

  @Test
  void anUnknownParameterIsRefusedWithTheKnownOnes() throws Exception {
    assertThat(refusal("x", "{\"temprature\": 1}"))
        .startsWith("parameter \"temprature\" is not known here; known are: chat_template_kwargs,")
        .contains("temperature", "json_schema", "messages");
    assertThat(refusal(new FakeTaskContext("embed", "x", Json.object("{\"temperature\": 1}"))))
        .isEqualTo(
            "parameter \"temperature\" is not known here; known are: input, model, normalize,"
                + " pooling, prompt");
  }

  @Test
  void parametersThatExcludeEachOtherAreNamed() throws Exception {
    assertThat(refusal("x", "{\"json_schema\": {}, \"grammar\": \"root ::= \\\"a\\\"\"}"))
        .isEqualTo("parameters \"json_schema\" and \"grammar\" exclude each other; give one");
    assertThat(refusal("x", "{\"messages\": []}"))
        .isEqualTo("parameters \"prompt\" and \"messages\" exclude each other; give one");
    assertThat(refusal("x", "{\"raw\": true, \"system\": \"s\"}"))
        .isEqualTo("parameters \"raw\" and \"system\" exclude each other; give one");
  }

  @Test
  void whatTheModelCannotDoIsRefusedByName() throws Exception {
    assertThat(refusal("x", "{\"reasoning_effort\": \"low\"}"))
        .isEqualTo(
            "parameter \"reasoning_effort\" is \"low\"; the chat template of this model has no"
                + " switch for it");
    assertThat(refusal("x", "{\"tool_choice\": \"required\"}"))
        .isEqualTo("parameter \"tool_choice\" requires a call, but there are no tools");
    assertThat(refusal("x", "{\"continue_final_message\": true}"))
        .startsWith("parameter \"continue_final_message\" needs a last message of role assistant");
    String tool = "{\"type\": \"function\", \"function\": {\"name\": \"f\"}}";
    assertThat(refusal("x", "{\"tools\": [%s, %s]}".formatted(tool, tool)))
        .isEqualTo("parameter \"tools\" has two functions \"f\"");
    String named = "{\"type\": \"function\", \"function\": {\"name\": \"g\"}}";
    assertThat(refusal("x", "{\"tools\": [%s], \"tool_choice\": %s}".formatted(tool, named)))
        .isEqualTo("parameter \"tool_choice\" names \"g\", which is none of the tools");
  }

  @Test
  void anInputIsTextOrAnObject() throws Exception {
    assertThat(refusal(new FakeTaskContext("generate", List.of(1L), Json.object("{}"))))
        .isEqualTo("the input is [1]; it must be text, or an object of parameters");
  }

  @Test
  void someRefusalsUseTheTextsOfNrvna() throws Exception {
    assertThat(refusal("", "{}")).isEqualTo("Empty prompt");
    assertThat(refusal("x", "{\"grammar\": \" \"}")).isEqualTo("Grammar file is empty");
    assertThat(refusal("abcdefgh ".repeat(60), "{\"max_tokens\": 100}"))
        .matches(
            "Prompt too large for context budget: prompt_tokens=\\d+ max_ctx=256 overhead=64"
                + " requested_n_predict=100; the maximum context length is 256 tokens, and the"
                + " prompt has \\d+");
  }

  @Test
  void aModelThatIsNotServedIsNamed() throws Exception {
    assertThat(refusal("x", "{\"model\": \"gpt\"}"))
        .isEqualTo("model \"gpt\" is not served here; served: tiny, vectors");
    assertThat(refusal("x", "{\"model\": \"T\"}"))
        .isEqualTo("model \"T\" could be any of tiny, vectors; name one of them in full");
    assertThat(refusal("x", "{\"model\": \"vectors\"}"))
        .isEqualTo(
            "model \"vectors\" is for embeddings and generates no text; use it in a job of type"
                + " embed");
  }

  @Test
  void anInvalidGrammarOrSchemaIsRefused() throws Exception {
    // found when it is compiled for the model, after the terms were frozen
    assertThat(
            TaskRunFixture.failure(
                inference, FakeTaskContext.generate("x", "{\"grammar\": \"root = 1\"}")))
        .satisfies(
            failure -> {
              assertThat(failure.message()).startsWith("grammar: ");
              assertThat(failure.retryable()).isFalse();
            });
    assertThat(
            TaskRunFixture.failure(
                    inference,
                    FakeTaskContext.generate("x", "{\"json_schema\": {\"frobnicate\": true}}"))
                .message())
        .startsWith("json_schema: ")
        .contains("frobnicate");
  }

  @Test
  void aBiasForAnUnknownTokenIsRefused() throws Exception {
    assertThat(refusal("x", "{\"logit_bias\": {\"100000\": 1}}"))
        .isEqualTo(
            "parameter \"logit_bias\" names token 100000; model \"tiny\" has tokens 0 to 319");
    assertThat(refusal("x", "{\"logit_bias\": {\"x\": 1}}"))
        .isEqualTo(
            "parameter \"logit_bias\" is \"x\"; it must be the id of a token where it is a key,"
                + " such as \"42\"");
  }

  @Test
  void aModelThatDoesNotFitIsRefusedWithBothSizes() {
    assertThatThrownBy(
            () -> Inference.open(TinyModels.serving(TinyModels.llama()).withMemory(200_000)))
        .isInstanceOf(EngineException.class)
        .hasMessageMatching(
            "model \"tiny\" needs [\\d.]+ KiB with its cache, and all models together may take"
                + " 195.3 KiB; .*");
  }

  @Test
  void aMissingFileIsReportedAtOnce() {
    assertThatThrownBy(() -> Inference.open(TinyModels.serving(NamedModel.of(Path.of("no.gguf")))))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("no.gguf");
  }
}
