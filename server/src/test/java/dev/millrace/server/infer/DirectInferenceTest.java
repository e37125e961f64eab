package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.AnswerFinish;
import dev.millrace.server.infer.direct.DirectGeneration;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.direct.EmbedInput;
import dev.millrace.server.infer.direct.EmbedRequest;
import dev.millrace.server.infer.direct.EmbeddingResult;
import dev.millrace.server.infer.direct.ServedModel;
import dev.millrace.server.infer.direct.TokenLogprobs;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.parameters.TaskRefused.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers without a job: the same as those of tasks, as they are generated. */
@Timeout(120)
class DirectInferenceTest {
  private static final String SETTINGS =
      "\"max_tokens\": 40, \"seed\": 7, \"temperature\": 1.2, \"ignore_eos\": true, \"raw\": true";
  private static final Duration LONG = Duration.ofSeconds(60);

  private static Inference inference;
  private static DirectInference direct;

  @BeforeAll
  static void open() {
    inference = Inference.open(TinyModels.serving(TinyModels.llama(), TinyModels.encoder()));
    direct = inference.direct();
  }

  @AfterAll
  static void close() {
    inference.close();
  }

  private record Answer(List<AnswerEvent.TokenChosen> tokens, AnswerEnd end) {
    String text() {
      return tokens.stream().map(AnswerEvent.TokenChosen::text).collect(Collectors.joining());
    }

    List<OutputPart> parts() {
      List<OutputPart> parts = new ArrayList<>();
      tokens.forEach(token -> parts.addAll(token.parts()));
      parts.addAll(end.rest());
      return parts;
    }
  }

  private static DirectRequest request(String data, int choice) {
    return new DirectRequest(Json.object(data), choice, FakeTaskContext.CREATED, true);
  }

  private static Answer answer(String data, int choice) throws InterruptedException {
    try (DirectGeneration generation = direct.generate(request(data, choice))) {
      return drain(generation);
    }
  }

  private static Answer drain(DirectGeneration generation) throws InterruptedException {
    List<AnswerEvent.TokenChosen> tokens = new ArrayList<>();
    while (true) {
      switch (generation.next(LONG).orElseThrow()) {
        case AnswerEvent.PromptProgress(int done, int total) ->
            assertThat(done).isLessThanOrEqualTo(total);
        case AnswerEvent.TokenChosen token -> tokens.add(token);
        case AnswerEvent.Ended(AnswerEnd end) -> {
          assertThat(generation.next(Duration.ZERO)).as("nothing follows").isEmpty();
          return new Answer(tokens, end);
        }
      }
    }
  }

  @Test
  void anAnswerIsThatOfATask() throws Exception {
    FakeTaskContext task = FakeTaskContext.generate("once upon", "{" + SETTINGS + "}");
    TaskResult result = TaskRunFixture.result(inference, task);
    long before = inference.stats().tokens().generated();
    Answer answer =
        answer("{\"prompt\": \"once upon\", \"model\": \"default\"," + SETTINGS + "}", 0);
    assertThat(answer.end.text()).isEqualTo(result.text());
    assertThat(answer.tokens).extracting(AnswerEvent.TokenChosen::id).isEqualTo(task.tokens());
    assertThat(answer.end.finish()).isEqualTo(AnswerFinish.LENGTH);
    assertThat(answer.end.usage().completionTokens()).isEqualTo(40);
    assertThat(answer.end.usage().reasoningTokens()).isZero();
    assertThat(answer.end.usage().promptTokens())
        .isEqualTo((int) TaskRunFixture.receipt(result).integer("prompt_tokens"));
    assertThat(answer.end.seed()).isEqualTo(7);
    assertThat(answer.end.receipt().string("model")).isEqualTo("tiny");
    assertThat(inference.stats().tokens().generated() - before).isEqualTo(40);
    String parts =
        answer.parts().stream()
            .map(part -> ((OutputPart.Text) part).text())
            .collect(Collectors.joining());
    assertThat(parts).isEqualTo(result.text());
  }

  @Test
  void aChoiceIsAddedToTheSeed() throws InterruptedException {
    String data = "{\"prompt\": \"once upon\"," + SETTINGS + "}";
    Answer second = answer(data, 1);
    assertThat(second.end.seed()).isEqualTo(8);
    assertThat(second.text()).isNotEqualTo(answer(data, 0).text());
    assertThat(second.text())
        .isEqualTo(answer(data.replace("\"seed\": 7", "\"seed\": 8"), 0).text());
    String free = data.replace("\"seed\": 7,", "");
    assertThat(answer(free, 0).end.seed()).isNotEqualTo(answer(free, 0).end.seed());
  }

  @Test
  void aCancelledAnswerEndsSoon() throws InterruptedException {
    String data = "{\"prompt\": \"once\"," + SETTINGS.replace("40", "200") + "}";
    try (SlowWheel _ = new SlowWheel(inference);
        DirectGeneration generation = direct.generate(request(data, 0))) {
      Optional<AnswerEvent> event = generation.next(LONG);
      while (!(event.orElseThrow() instanceof AnswerEvent.TokenChosen)) {
        event = generation.next(LONG);
      }
      generation.cancel();
      AnswerEnd end = drain(generation).end;
      assertThat(end.finish()).isEqualTo(AnswerFinish.CANCELLED);
      assertThat(end.usage().completionTokens()).isLessThan(150);
    }
  }

  @Test
  void anAnswerCanBeClosedAtAnyTime() throws InterruptedException {
    String data = "{\"prompt\": \"once\"," + SETTINGS + "}";
    DirectGeneration generation = direct.generate(request(data, 0));
    generation.close();
    generation.close();
    assertThat(generation.model()).isEqualTo("tiny");
    assertThat(generation.promptTokens()).isPositive();
  }

  @Test
  void tokensCanBeThePrompt() throws InterruptedException {
    int[] ids = direct.tokenize(null, "once upon", true, true);
    String list = Arrays.toString(ids);
    String settings = SETTINGS.replace(", \"raw\": true", "");
    Answer answer = answer("{\"prompt_tokens\": " + list + "," + settings + "}", 0);
    assertThat(answer.text())
        .isEqualTo(answer("{\"prompt\": \"once upon\"," + SETTINGS + "}", 0).text());
  }

  @Test
  void logProbabilitiesComeWithTextsAndBytes() throws InterruptedException {
    Answer answer = answer("{\"prompt\": \"once\", \"logprobs\": 2," + SETTINGS + "}", 0);
    for (AnswerEvent.TokenChosen token : answer.tokens) {
      TokenLogprobs logprobs = token.logprobs();
      assertThat(logprobs).isNotNull();
      assertThat(logprobs.chosen().token()).isEqualTo(token.id());
      assertThat(logprobs.chosen().logprob()).isLessThanOrEqualTo(0);
      assertThat(logprobs.top()).hasSize(2);
      assertThat(logprobs.top().getFirst().logprob())
          .isGreaterThanOrEqualTo(logprobs.chosen().logprob());
      TokenLogprobs.Entry best = logprobs.top().getFirst();
      assertThat(new String(best.bytes(), StandardCharsets.UTF_8)).isEqualTo(best.text());
      assertThat(direct.tokenText("tiny", best.token())).isEqualTo(best.text());
    }
    assertThat(answer.end.receipt().list("logprobs")).hasSize(40);
  }

  @Test
  void refusalsSayWhatIsWrong() {
    assertRefused("{\"prompt\": \"x\", \"model\": \"absent\"}", Reason.MODEL_NOT_FOUND, "model");
    assertRefused("{\"prompt\": \"x\", \"top_p\": 7}", Reason.PARAMETER, "top_p");
    assertRefused("{\"prompt_tokens\": [320]}", Reason.PARAMETER, "prompt_tokens");
    assertThat(
            assertRefused(
                "{\"prompt\": \"%s\"}".formatted("once ".repeat(300)),
                Reason.CONTEXT_LENGTH,
                "messages"))
        .contains("the maximum context length is 256 tokens, and the prompt has ");
  }

  private static String assertRefused(String data, Reason reason, String parameter) {
    List<TaskRefused> refusals = new ArrayList<>();
    assertThatThrownBy(() -> direct.generate(request(data, 0)))
        .isInstanceOfSatisfying(TaskRefused.class, refusals::add);
    assertThat(refusals.getFirst().reason()).isEqualTo(reason);
    assertThat(refusals.getFirst().parameter()).isEqualTo(parameter);
    return refusals.getFirst().getMessage();
  }

  @Test
  void modelsAreListed() {
    assertThat(direct.models())
        .extracting(ServedModel::name, ServedModel::generates, ServedModel::embeds)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("tiny", true, true),
            org.assertj.core.groups.Tuple.tuple("vectors", false, true));
    assertThat(direct.models().getFirst().context()).isEqualTo(TinyModels.CONTEXT);
    assertThat(direct.models().getFirst().createdSeconds())
        .isBetween(1_700_000_000L, Instant.now().getEpochSecond() + 1);
  }

  @Test
  void promptsAreRenderedAndCounted() throws InterruptedException {
    JsonObject data = Json.object("{\"messages\": [{\"role\": \"user\", \"content\": \"once\"}]}");
    String prompt = direct.applyTemplate(data);
    assertThat(prompt).isEqualTo("once");
    int[] ids = direct.tokenize(null, prompt, true, true);
    assertThat(direct.countPromptTokens(data)).isEqualTo(ids.length);
    assertThat(direct.detokenize(null, ids, false)).isEqualTo("once");
    assertThat(direct.vocabularySize(null)).isEqualTo(320);
    assertThatThrownBy(() -> direct.detokenize(null, new int[] {-1}, true))
        .isInstanceOf(TaskRefused.class);
  }

  @Test
  void severalInputsAreEmbeddedAtOnce() throws Exception {
    EmbeddingResult both =
        direct.embed(
            new EmbedRequest(
                null, List.of(new EmbedInput.Text("once"), new EmbedInput.Text("upon a")), null));
    assertThat(both.model()).isEqualTo("vectors");
    assertThat(both.vectors()).hasSize(2);
    float[] first = vector(new EmbedInput.Text("once"), null);
    assertThat(both.vectors().getFirst()).isEqualTo(first).hasSize(TinyModels.WIDTH);
    String job =
        TaskRunFixture.result(inference, new FakeTaskContext("embed", "once", JsonObject.create()))
            .text();
    assertThat(Json.object(job).list("vector")).hasSize(TinyModels.WIDTH);
    assertThat(((Number) Json.object(job).list("vector").getFirst()).floatValue())
        .isEqualTo(first[0]);
  }

  @Test
  void aShortenedVectorHasLengthOne() throws InterruptedException {
    float[] whole = vector(new EmbedInput.Text("once"), null);
    float[] part = vector(new EmbedInput.Text("once"), 8);
    assertThat(part).hasSize(8);
    double squares = 0;
    for (float number : part) {
      squares += number * number;
    }
    assertThat(squares).isBetween(0.9999, 1.0001);
    assertThat(part[1] / part[0])
        .isCloseTo(whole[1] / whole[0], org.assertj.core.data.Offset.offset(1e-3f));
    for (int wrong : new int[] {0, TinyModels.WIDTH + 1}) {
      assertThatThrownBy(() -> vector(new EmbedInput.Text("once"), wrong))
          .hasMessageContaining("parameter \"dimensions\" is " + wrong);
    }
    assertThatThrownBy(() -> vector(new EmbedInput.Tokens(new int[] {320}), null))
        .hasMessageContaining("has token 320");
  }

  private static float[] vector(EmbedInput input, Integer dimensions) throws InterruptedException {
    return direct
        .embed(new EmbedRequest("vectors", List.of(input), dimensions))
        .vectors()
        .getFirst();
  }
}
