package dev.millrace.examples.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionNamedToolChoice;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.models.Model;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseRetrieveParams;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import dev.millrace.core.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** OpenAI's own client for Java, which checks every answer against its schema. */
@Timeout(120)
@Tag("slow")
class OpenAiJavaTest {
  @TempDir static Path dir;
  private static HouseServer server;
  private static OpenAIClient client;

  @BeforeAll
  static void start() {
    server = new HouseServer(dir.resolve("ws"));
    client =
        OpenAIOkHttpClient.builder()
            .apiKey("none")
            .baseUrl(server.baseUrl())
            .responseValidation(true)
            .maxRetries(0)
            .build();
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model("default")
        .addUserMessage("Write a short story.")
        .temperature(0.0)
        .maxCompletionTokens(16);
  }

  private static ResponseCreateParams.Builder response() {
    return ResponseCreateParams.builder()
        .model("default")
        .input("Write a short story.")
        .temperature(0.0)
        .maxOutputTokens(24);
  }

  @Test
  void modelsAreListedAndFound() {
    List<Model> models = client.models().list().data();
    assertThat(models).extracting(Model::id).contains("house");
    assertThat(client.models().retrieve("house").id()).isEqualTo("house");
    assertThatThrownBy(() -> client.models().retrieve("none-such"))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aStreamAddsUpToTheWholeAnswer() {
    ChatCompletion whole = client.chat().completions().create(chat().build());
    ChatCompletionAccumulator sum = ChatCompletionAccumulator.create();
    ChatCompletionStreamOptions usage =
        ChatCompletionStreamOptions.builder().includeUsage(true).build();
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(chat().streamOptions(usage).build())) {
      stream.stream().forEach(sum::accumulate);
    }
    ChatCompletion streamed = sum.chatCompletion();
    assertThat(whole.choices().getFirst().message().content()).isNotEmpty();
    assertThat(streamed.choices().getFirst().message().content())
        .isEqualTo(whole.choices().getFirst().message().content());
    assertThat(streamed.choices().getFirst().finishReason())
        .isEqualTo(whole.choices().getFirst().finishReason());
    assertThat(streamed.usage().orElseThrow().completionTokens())
        .isEqualTo(whole.usage().orElseThrow().completionTokens());
  }

  @Test
  void choicesLogprobsAndSeedsAreThere() {
    ChatCompletionCreateParams asked =
        chat()
            .n(2)
            .putAdditionalBodyProperty("seed", JsonValue.from(7))
            .temperature(0.8)
            .logprobs(true)
            .topLogprobs(3)
            .build();
    ChatCompletion answer = client.chat().completions().create(asked);
    ChatCompletion again = client.chat().completions().create(asked);
    assertThat(answer.choices()).hasSize(2);
    for (ChatCompletion.Choice choice : answer.choices()) {
      assertThat(choice.logprobs().orElseThrow().content().orElseThrow())
          .isNotEmpty()
          .allSatisfy(token -> assertThat(token.topLogprobs()).hasSize(3));
      assertThat(again.choices().get((int) choice.index()).message().content())
          .isEqualTo(choice.message().content());
    }
  }

  @Test
  void aNamedToolIsCalledWithArgumentsOfItsSchema() {
    Map<String, Object> city = Map.of("type", "string", "enum", List.of("Paris", "Rome"));
    FunctionParameters parameters =
        FunctionParameters.builder()
            .putAdditionalProperty("type", JsonValue.from("object"))
            .putAdditionalProperty("properties", JsonValue.from(Map.of("city", city)))
            .putAdditionalProperty("required", JsonValue.from(List.of("city")))
            .build();
    ChatCompletionCreateParams asked =
        chat()
            .maxCompletionTokens(60)
            .addFunctionTool(
                FunctionDefinition.builder().name("get_weather").parameters(parameters).build())
            .toolChoice(
                ChatCompletionNamedToolChoice.builder()
                    .function(
                        ChatCompletionNamedToolChoice.Function.builder()
                            .name("get_weather")
                            .build())
                    .build())
            .build();
    ChatCompletion.Choice choice = client.chat().completions().create(asked).choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    var call = choice.message().toolCalls().orElseThrow().getFirst().asFunction().function();
    assertThat(call.name()).isEqualTo("get_weather");
    assertThat(Json.object(call.arguments()).string("city")).isIn("Paris", "Rome");
  }

  @Test
  void errorsNameTheFieldAndTheCode() {
    assertThatThrownBy(() -> client.chat().completions().create(chat().temperature(9.0).build()))
        .isInstanceOfSatisfying(
            BadRequestException.class, e -> assertThat(e.param()).contains("temperature"));
    String tooLong = "word ".repeat(5_000);
    assertThatThrownBy(
            () -> client.chat().completions().create(chat().addUserMessage(tooLong).build()))
        .isInstanceOfSatisfying(
            BadRequestException.class,
            e -> assertThat(e.code()).contains("context_length_exceeded"));
  }

  @Test
  void textsBecomeVectors() {
    var answer =
        client
            .embeddings()
            .create(
                EmbeddingCreateParams.builder()
                    .model("default")
                    .inputOfArrayOfStrings(List.of("a cat", "a dog"))
                    .build());
    assertThat(answer.data()).hasSize(2);
    double squares = answer.data().getFirst().embedding().stream().mapToDouble(x -> x * x).sum();
    assertThat(squares).isBetween(0.999, 1.001);
  }

  @Test
  void aStoredResponseIsReadAgainContinuedAndDeleted() {
    Response first = client.responses().create(response().build());
    assertThat(client.responses().retrieve(first.id()).output()).isEqualTo(first.output());
    Response next =
        client
            .responses()
            .create(response().input("Write a sad story.").previousResponseId(first.id()).build());
    assertThat(next.previousResponseId()).contains(first.id());
    assertThat(next.usage().orElseThrow().inputTokens())
        .isGreaterThan(first.usage().orElseThrow().inputTokens());
    assertThat(client.responses().inputItems().list(next.id()).data()).isNotEmpty();
    client.responses().delete(first.id());
    assertThatThrownBy(() -> client.responses().retrieve(first.id()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aResponseInTheBackgroundStreamsFromAnyNumber() {
    Response begun = client.responses().create(response().background(true).build());
    assertThat(begun.status().orElseThrow())
        .isIn(ResponseStatus.QUEUED, ResponseStatus.IN_PROGRESS, ResponseStatus.COMPLETED);
    List<ResponseStreamEvent> all = events(begun.id(), -1);
    assertThat(all).hasSizeGreaterThan(8);
    assertThat(events(begun.id(), 5)).isEqualTo(all.subList(6, all.size()));
  }

  private static List<ResponseStreamEvent> events(String id, long after) {
    ResponseRetrieveParams.Builder asked = ResponseRetrieveParams.builder().responseId(id);
    ResponseRetrieveParams from = after < 0 ? asked.build() : asked.startingAfter(after).build();
    try (StreamResponse<ResponseStreamEvent> stream = client.responses().retrieveStreaming(from)) {
      return stream.stream().collect(Collectors.toList());
    }
  }
}
