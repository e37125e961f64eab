package dev.millrace.examples.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.output.FinishReason;
import dev.millrace.core.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** LangChain4j's client for OpenAI's API. */
@Timeout(120)
@Tag("slow")
class LangChain4jTest {
  private static final String PROMPT = "Write a short story.";
  @TempDir static Path dir;
  private static HouseServer server;

  @BeforeAll
  static void start() {
    server = new HouseServer(dir.resolve("ws"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static OpenAiChatModel model() {
    return OpenAiChatModel.builder()
        .baseUrl(server.baseUrl())
        .apiKey("none")
        .modelName("default")
        .temperature(0.0)
        .maxCompletionTokens(60)
        .maxRetries(0)
        .build();
  }

  @Test
  void aStreamAddsUpToTheWholeAnswer() throws Exception {
    OpenAiStreamingChatModel streaming =
        OpenAiStreamingChatModel.builder()
            .baseUrl(server.baseUrl())
            .apiKey("none")
            .modelName("default")
            .temperature(0.0)
            .maxCompletionTokens(60)
            .build();
    StringBuilder pieces = new StringBuilder();
    CompletableFuture<ChatResponse> end = new CompletableFuture<>();
    streaming.chat(
        PROMPT,
        new StreamingChatResponseHandler() {
          @Override
          public void onPartialResponse(String piece) {
            pieces.append(piece);
          }

          @Override
          public void onCompleteResponse(ChatResponse response) {
            end.complete(response);
          }

          @Override
          public void onError(Throwable error) {
            end.completeExceptionally(error);
          }
        });
    String whole = model().chat(PROMPT);
    assertThat(end.get(60, TimeUnit.SECONDS).aiMessage().text()).isEqualTo(whole);
    assertThat(pieces).hasToString(whole);
  }

  @Test
  void aRequiredToolIsCalled() {
    ToolSpecification weather =
        ToolSpecification.builder()
            .name("get_weather")
            .description("The weather of a city.")
            .parameters(
                JsonObjectSchema.builder()
                    .addEnumProperty("city", List.of("Paris", "Rome"))
                    .required("city")
                    .build())
            .build();
    ChatResponse answer =
        model()
            .chat(
                ChatRequest.builder()
                    .messages(UserMessage.from(PROMPT))
                    .toolSpecifications(weather)
                    .toolChoice(ToolChoice.REQUIRED)
                    .build());
    assertThat(answer.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
    ToolExecutionRequest call = answer.aiMessage().toolExecutionRequests().getFirst();
    assertThat(call.name()).isEqualTo("get_weather");
    assertThat(Json.object(call.arguments()).string("city")).isIn("Paris", "Rome");
  }

  @Test
  void textsBecomeVectors() {
    OpenAiEmbeddingModel embedding =
        OpenAiEmbeddingModel.builder()
            .baseUrl(server.baseUrl())
            .apiKey("none")
            .modelName("default")
            .build();
    assertThat(embedding.embed("a cat").content().vector()).hasSize(512);
  }
}
