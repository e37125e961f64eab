package dev.millrace.http.openai;

import static dev.millrace.http.openai.HouseModelServer.choice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Models, completions, embeddings and tokens of the house model over HTTP. */
class HouseModelPathsTest {
  private static HouseModelServer server;

  @BeforeAll
  static void open() {
    server = new HouseModelServer();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"millrace/house", "millrace%2Fhouse", "default"})
  void modelIsFoundByItsName(String name) throws Exception {
    JsonObject model = Json.object(server.get("/v1/models/" + name).body());
    assertThat(model.string("id")).isEqualTo(HouseModelServer.MODEL);
    assertThat(model.string("object")).isEqualTo("model");
    assertThat(model.integer("created")).isPositive();
    assertThat(model.string("owned_by")).isEqualTo("millrace");
    JsonObject list = Json.object(server.get("/v1/models").body());
    assertThat(list.list("data")).containsExactly(model.values());
  }

  @Test
  void promptsAndChoicesAreNumbered() throws Exception {
    String body = "{\"prompt\":%s,\"max_tokens\":6,\"seed\":3,\"temperature\":1,\"n\":%d}";
    JsonObject all = server.ask("/v1/completions", body.formatted("[\"One day,\",\"The dog\"]", 2));
    assertThat(all.list("choices")).hasSize(4);
    JsonObject dog = server.ask("/v1/completions", body.formatted("\"The dog\"", 2));
    assertThat(choice(all, 2).string("text")).isEqualTo(choice(dog, 0).string("text"));
    assertThat(choice(all, 3).string("text")).isEqualTo(choice(dog, 1).string("text"));
    assertThat(choice(all, 3).integer("index")).isEqualTo(3);
    assertThat(choice(all, 3).string("finish_reason")).isEqualTo("length");
    assertThat(all.object("usage").integer("completion_tokens")).isEqualTo(24);
    long other =
        server
            .ask("/v1/completions", body.formatted("\"One day,\"", 1))
            .object("usage")
            .integer("prompt_tokens");
    assertThat(all.object("usage").integer("prompt_tokens"))
        .isEqualTo(other + dog.object("usage").integer("prompt_tokens"));
  }

  @Test
  void promptMayBeTokens() throws Exception {
    JsonObject tokens =
        server.ask("/tokenize", "{\"content\":\"One day, a dog\",\"add_special\":true}");
    String body = "{\"prompt\":%s,\"max_tokens\":6,\"temperature\":0,\"echo\":%b}";
    String ids = Json.write(tokens.list("tokens"));
    JsonObject byText = server.ask("/v1/completions", body.formatted("\"One day, a dog\"", false));
    JsonObject byIds = server.ask("/v1/completions", body.formatted("[" + ids + "]", false));
    assertThat(choice(byIds, 0).string("text")).isEqualTo(choice(byText, 0).string("text"));
    JsonObject echoed = server.ask("/v1/completions", body.formatted(ids, true));
    assertThat(choice(echoed, 0).string("text"))
        .isEqualTo("One day, a dog" + choice(byText, 0).string("text"));
  }

  @Test
  void completionIsStreamed() throws Exception {
    String body = "{\"prompt\":\"One day,\",\"temperature\":0%s}";
    JsonObject whole = server.ask("/v1/completions", body.formatted(",\"logprobs\":2"));
    JsonObject scores = choice(whole, 0).object("logprobs");
    assertThat(scores.list("tokens")).hasSize(16); // the default of max_tokens
    assertThat(String.join("", scores.list("tokens").stream().map(String::valueOf).toList()))
        .isEqualTo(choice(whole, 0).string("text"));
    assertThat(scores.list("text_offset").getFirst()).isEqualTo(0L);
    assertThat(JsonObject.of(scores.list("top_logprobs").getFirst(), "top").values()).hasSize(2);
    List<String> data = server.stream("/v1/completions", body.formatted(",\"stream\":true"));
    StringBuilder text = new StringBuilder();
    for (String chunk : data.subList(0, data.size() - 1)) {
      text.append(choice(Json.object(chunk), 0).string("text"));
    }
    assertThat(text.toString()).isEqualTo(choice(whole, 0).string("text"));
    assertThat(data.getLast()).isEqualTo("[DONE]");
  }

  @Test
  void embeddingsAreFloatsOrBase64() throws Exception {
    String body = "{\"input\":[\"a boat\",\"a dog\"]%s}";
    JsonObject floats = server.ask("/v1/embeddings", body.formatted(""));
    JsonObject base64 =
        server.ask("/v1/embeddings", body.formatted(",\"encoding_format\":\"base64\""));
    for (int i = 0; i < 2; i++) {
      List<?> numbers = JsonObject.of(floats.list("data").get(i), "vector").list("embedding");
      String packed = JsonObject.of(base64.list("data").get(i), "vector").string("embedding");
      ByteBuffer bytes =
          ByteBuffer.wrap(Base64.getDecoder().decode(packed)).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(bytes.remaining()).isEqualTo(numbers.size() * 4);
      for (Object number : numbers) {
        assertThat(((Number) number).floatValue()).isEqualTo(bytes.getFloat());
      }
    }
    assertThat(floats.object("usage").integer("prompt_tokens")).isPositive();
  }

  @Test
  void shortenedVectorIsNormalisedAgain() throws Exception {
    JsonObject answer =
        server.ask("/v1/embeddings", "{\"input\":[1,2,3],\"dimensions\":5,\"user\":\"me\"}");
    List<?> vector = JsonObject.of(answer.list("data").getFirst(), "vector").list("embedding");
    double square = 0;
    for (Object number : vector) {
      square += Math.pow(((Number) number).doubleValue(), 2);
    }
    assertThat(vector).hasSize(5);
    assertThat(square).isCloseTo(1, within(1e-4));
    assertThat(
            server
                .refuse(400, "/v1/embeddings", "{\"input\":\"x\",\"dimensions\":100000}")
                .string("param"))
        .isEqualTo("dimensions");
  }

  @Test
  void textsOfAClientThatDisconnectsAreNotComputed() throws Exception {
    long before = server.inference.stats().tokens().embedded();
    List<List<Integer>> texts = Collections.nCopies(1000, Collections.nCopies(20, 5));
    String body = "{\"input\":" + Json.write(texts) + "}";
    try (Socket socket = new Socket()) {
      socket.connect(server.service.address());
      socket
          .getOutputStream()
          .write(
              ("POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                      + "\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.US_ASCII));
      await().until(() -> server.service.running() == 1);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> server.service.running() == 0);
    server.ask("/v1/embeddings", "{\"input\":[1,2,3]}"); // waits for its turn
    assertThat(server.inference.stats().tokens().embedded()).isEqualTo(before + 3);
  }

  @Test
  void tokensAndTextAreTurnedIntoEachOther() throws Exception {
    JsonObject tokens = server.ask("/tokenize", "{\"content\":\"a boat \uD83D\uDE00\"}");
    JsonObject text =
        server.ask("/detokenize", "{\"tokens\":" + Json.write(tokens.list("tokens")) + "}");
    assertThat(text.string("content")).isEqualTo("a boat \uD83D\uDE00");
    JsonObject pieces =
        server.ask("/tokenize", "{\"content\":[\"a boat\",5],\"with_pieces\":true}");
    JsonObject first = JsonObject.of(pieces.list("tokens").getFirst(), "piece");
    assertThat(first.string("piece")).isEqualTo("a");
    assertThat(JsonObject.of(pieces.list("tokens").getLast(), "piece").integer("id")).isEqualTo(5);
    assertThat(server.ask("/tokenize", "{}").list("tokens")).isEmpty();
    JsonObject turn = server.ask("/tokenize", "{\"content\":\"<|user|>a boat<|end|>\"}");
    assertThat(
            server
                .ask("/detokenize", "{\"tokens\":" + Json.write(turn.list("tokens")) + "}")
                .string("content"))
        .isEqualTo("<|user|>a boat<|end|>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          /tokenize       | {"content":["a boat",5,99999]}  | content[2]
          /tokenize       | {"content":[99999],"with_pieces":true} | content[0]
          /detokenize     | {"tokens":[5,99999]}            | tokens[1]
          /v1/completions | {"prompt":[5,99999]}            | prompt[1]
          /v1/completions | {"prompt":[[5],[99999]],"stream":true} | prompt[1][0]
          /v1/completions | {"prompt":[5,99999],"echo":true} | prompt[1]
          /v1/embeddings  | {"input":[5,99999]}             | input
          """)
  void tokensThatDoNotExistAreRefusedByName(String path, String body, String param)
      throws Exception {
    JsonObject error = server.refuse(400, path, body);
    assertThat(error.string("param")).as(error.toString()).isEqualTo(param);
    assertThat(error.string("message")).startsWith(param).contains("99999");
  }

  @Test
  void templateIsApplied() throws Exception {
    JsonObject prompt =
        server.ask(
            "/apply-template", "{\"messages\":[{\"role\":\"user\",\"content\":\"Hello.\"}]}");
    assertThat(prompt.string("prompt")).contains("<|user|>Hello.<|end|>").endsWith("<|assistant|>");
  }
}
