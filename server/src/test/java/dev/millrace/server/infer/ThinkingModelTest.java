package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a model writes after thoughts that it closes itself. */
@Timeout(60)
class ThinkingModelTest {
  /** The bias closes the thoughts sooner or later; the seed decides when. */
  private static final String SAMPLED =
      "\"seed\": %d, \"temperature\": 1, \"top_k\": 0, \"top_p\": 1, \"min_p\": 0,"
          + " \"repeat_penalty\": 1, \"max_tokens\": 200, \"record_pieces\": true,"
          + " \"logit_bias\": {\"%d\": 2.5}";

  private static final String SCHEMA =
      "\"json_schema\": {\"type\": \"object\", \"properties\": {\"mood\": {\"enum\": [\"happy\","
          + " \"sad\"]}}, \"required\": [\"mood\"], \"additionalProperties\": false}";
  private static final String CALL =
      "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"now\"}}],"
          + " \"tool_choice\": {\"type\": \"function\", \"function\": {\"name\": \"now\"}}";

  private static Inference inference;

  @BeforeAll
  static void open() {
    inference =
        Inference.open(
            TinyModels.serving(TinyModels.thinker())
                .withChatTemplate(
                    "{{ tools or '' }}{% for m in messages %}{{ m.content }}{% endfor %}"
                        + "{% if add_generation_prompt %}<think>{% endif %}"));
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private static FakeTaskContext task(int seed, String more) {
    return FakeTaskContext.generate(
        "how is it", "{" + SAMPLED.formatted(seed, TinyModels.CLOSE) + "," + more + "}");
  }

  private static String thoughts(TaskResult result) {
    return TaskRunFixture.receipt(result).string("thoughts", "");
  }

  @Test
  void aSchemaCoversTheAnswerAndLeavesTheThoughtsFree() throws Exception {
    int letters = 0;
    for (int seed = 0; seed < 4; seed++) {
      TaskResult result = TaskRunFixture.result(inference, task(seed, SCHEMA));
      assertThat(Json.object(result.text()).string("mood")).isIn("happy", "sad");
      assertThat(TaskRunFixture.receipt(result).string("finish_reason")).isEqualTo("stop");
      assertThat(TaskRunFixture.receipt(result).integer("reasoning_tokens")).isPositive();
      letters += thoughts(result).length();
    }
    assertThat(letters).as("letters of thoughts").isGreaterThan(20);
  }

  @Test
  void aForcedCallFollowsTheThoughts() throws Exception {
    int letters = 0;
    for (int seed = 0; seed < 4; seed++) {
      TaskResult result = TaskRunFixture.result(inference, task(seed, CALL));
      assertThat(result.text()).isEmpty();
      assertThat(TaskRunFixture.receipt(result).list("tool_calls"))
          .containsExactly(Map.of("name", "now", "arguments", "{}"));
      letters += thoughts(result).length();
    }
    assertThat(letters).as("letters of thoughts").isGreaterThan(20);
  }

  @Test
  void thoughtsAreStreamedBeforeTheAnswer() throws Exception {
    FakeTaskContext task = task(1, SCHEMA);
    TaskResult whole = TaskRunFixture.result(inference, task);
    JsonObject data = Json.object(task.data().toString()).put("prompt", "how is it");
    DirectRequest request = new DirectRequest(data, 0, FakeTaskContext.CREATED, true);
    List<OutputPart> parts = new ArrayList<>();
    try (DirectGeneration generation = inference.direct().generate(request)) {
      for (boolean ended = false; !ended; ) {
        switch (generation.next(Duration.ofSeconds(60)).orElseThrow()) {
          case AnswerEvent.TokenChosen token -> parts.addAll(token.parts());
          case AnswerEvent.Ended last -> ended = parts.addAll(last.end().rest()) || true;
          case AnswerEvent.PromptProgress _ -> {}
        }
      }
    }
    StringBuilder thoughts = new StringBuilder();
    StringBuilder text = new StringBuilder();
    for (OutputPart part : parts) {
      if (part instanceof OutputPart.Thought(String more)) {
        assertThat(text).as("the answer before a thought").isEmpty();
        thoughts.append(more);
      } else {
        text.append(((OutputPart.Text) part).text());
      }
    }
    assertThat(thoughts.toString()).isEqualTo(thoughts(whole)).isNotBlank();
    assertThat(text.toString()).isEqualTo(whole.text());
  }

  @Test
  void aStopTextEndsTheAnswerAndNotTheThoughts() throws Exception {
    TaskResult whole = TaskRunFixture.result(inference, task(1, SCHEMA));
    String inThoughts = Json.write(thoughts(whole).substring(0, 2));
    TaskResult unstopped =
        TaskRunFixture.result(inference, task(1, SCHEMA + ", \"stop\": [" + inThoughts + "]"));
    assertThat(thoughts(unstopped)).isEqualTo(thoughts(whole));
    assertThat(unstopped.text()).isEqualTo(whole.text());
    FakeTaskContext free = task(1, "\"stop\": [" + inThoughts + ", \"e\", \"a\", \"o\", \"i\"]");
    TaskResult stopped = TaskRunFixture.result(inference, free);
    assertThat(thoughts(stopped)).isEqualTo(thoughts(whole));
    assertThat(TaskRunFixture.receipt(stopped).get("stop")).isNotNull();
    assertThat(stopped.text()).doesNotContain("e", "a", "o", "i");
  }
}
