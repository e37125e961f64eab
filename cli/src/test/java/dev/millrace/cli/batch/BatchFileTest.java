package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which batch requests are valid, and the tasks that they become. */
class BatchFileTest {
  private static final BatchFile.Models ANY = new BatchFile.Models(false, null);

  @TempDir Path dir;

  private BatchFile read(BatchFile.Models models, String... lines) throws IOException {
    Path file = dir.resolve("in.jsonl");
    Files.writeString(file, String.join("\n", lines));
    return BatchFile.read(file, "in.jsonl", models);
  }

  private static String line(String id, String url, String body) {
    return "{\"custom_id\":\"%s\",\"method\":\"POST\",\"url\":\"%s\",\"body\":%s}"
        .formatted(id, url, body);
  }

  private static String chat(String id, String more) {
    return line(
        id,
        "/v1/chat/completions",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]" + more + "}");
  }

  private void refused(String rule, String... lines) {
    assertThatThrownBy(() -> read(ANY, lines))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(rule);
  }

  /** By the rules of the worker. */
  @Test
  void valuesAreCheckedBeforeAnythingStarts() {
    for (String field :
        List.of(
            "\"temperature\":-1",
            "\"top_p\":2",
            "\"seed\":1.5",
            "\"stop\":\"\"",
            "\"logit_bias\":{\"x\":1}",
            "\"response_format\":{\"type\":\"poem\"}",
            "\"grammar\":\"root ::= \\\"x\"",
            "\"json_schema\":{\"type\":\"nonsense\"}")) {
      String name = field.substring(1, field.indexOf('"', 1));
      assertThatThrownBy(() -> read(ANY, chat("a", "," + field)))
          .as(field)
          .isInstanceOf(CommandException.class)
          .hasMessageContainingAll("line 1: body: ", name);
    }
  }

  @Test
  void namesOfOpenAiBecomeParameters() throws IOException {
    BatchFile file =
        read(
            ANY,
            chat(
                "a",
                ",\"model\":\"m\",\"max_completion_tokens\":7,\"temperature\":0,\"seed\":3,"
                    + "\"stop\":[\"x\"],\"n\":1,\"parallel_tool_calls\":true,\"stream\":false,\"user\":\"me\",\"top_k\":5,"
                    + "\"logprobs\":null,\"response_format\":{\"type\":\"json_object\"}"),
            "",
            line(
                "b",
                "/v1/chat/completions",
                """
                {"messages":[{"role":"developer","content":[{"type":"text","text":"Be"},
                {"type":"text","text":"brief"}]},{"role":"user","content":"Hi"}]}\
                """
                    .replace("\n", "")));
    assertThat(file.endpoint()).isEqualTo(BatchEndpoint.CHAT);
    assertThat(file.lines()).extracting(BatchLine::customId).containsExactly("a", "b");
    assertThat(file.sha256()).hasSize(64);
    assertThat(Json.write(file.lines().get(0).task().input()))
        .isEqualTo(
            "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"model\":\"m\",\"max_tokens\":7,"
                + "\"temperature\":0,\"seed\":3,\"stop\":[\"x\"],\"top_k\":5,"
                + "\"response_format\":{\"type\":\"json_object\"}}");
    assertThat(Json.write(file.lines().get(1).task().input()))
        .isEqualTo(
            "{\"messages\":[{\"role\":\"system\",\"content\":\"Be\\nbrief\"},"
                + "{\"role\":\"user\",\"content\":\"Hi\"}]}");
  }

  @Test
  void theOtherEndpoints() throws IOException {
    BatchFile raw =
        read(ANY, line("a", "/v1/completions", "{\"prompt\":[\"Once\"],\"max_tokens\":2}"));
    assertThat(Json.write(raw.lines().getFirst().task().input()))
        .isEqualTo("{\"prompt\":\"Once\",\"raw\":true,\"max_tokens\":2}");
    BatchFile embed =
        read(ANY, line("a", "/v1/embeddings", "{\"input\":\"Hi\",\"encoding_format\":\"float\"}"));
    assertThat(embed.endpoint().type()).isEqualTo("embed");
    assertThat(Json.write(embed.lines().getFirst().task().input())).isEqualTo("{\"input\":\"Hi\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'n':2 | body.n cannot be 2: a request has one answer",
        "'stream':true | body.stream cannot be true",
        "'logprobs':true | body.logprobs cannot be true: probabilities are not kept",
        "'top_logprobs':3 | body.top_logprobs cannot be 3",
        "'tools':[{'type':'function'}] | body.tools cannot be [{",
        "'audio':{'voice':'x'} | body.audio is not supported: leave it out",
        "'reasoning_effort':'low' | body.reasoning_effort is not supported",
        "'max_tokens':0 | body.max_tokens must be a whole number from 1",
        "'max_tokens':1,'max_completion_tokens':1 | body.max_completion_tokens says the same",
        "'model':7 | body.model must be the name of a model",
        "'service_tier':'flex' | body.service_tier cannot be \"flex\"",
        "'modalities':['audio'] | body.modalities cannot be [\"audio\"]",
      })
  void unsupportedFieldsAreRejectedByName(String fields, String rule) {
    refused("line 1: " + rule, chat("a", "," + fields.replace('\'', '"')));
  }

  @Test
  void badLinesAreNamedAndTheRestCounted() {
    String[] lines = new String[40];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = chat("id" + i, ",\"n\":2");
    }
    assertThatThrownBy(() -> read(ANY, lines))
        .hasMessageStartingWith("in.jsonl was not submitted:\n  line 1: body.n")
        .hasMessageContaining("\n  line 20: body.n")
        .hasMessageEndingWith("\n  and 20 more");
  }

  @Test
  void rulesOfTheFile() {
    refused("has no request in it", "");
    refused("line 2 is not a JSON object", chat("a", ""), "nonsense");
    refused(
        "line 2: custom_id \"a\" is also in line 1, with another request",
        chat("a", ""),
        chat("a", ",\"seed\":1"));
    refused("line 1: custom_id must be a text", chat("", ""));
    refused("line 1: method must be \"POST\"", chat("a", "").replace("POST", "GET"));
    refused("line 1: url must be one of /v1/chat", line("a", "/v1/responses", "{}"));
    refused(
        "line 2: url differs from the first line's",
        chat("a", ""),
        line("b", "/v1/embeddings", "{\"input\":\"x\"}"));
    refused("line 1: body must be an object", line("a", "/v1/completions", "[]"));
    refused("line 1: extra is not a field", chat("a", "").replaceFirst("\\{", "{\"extra\":1,"));
    refused("messages must be a list", line("a", "/v1/chat/completions", "{}"));
    refused(
        "body.messages[0].content must be text: images",
        line(
            "a",
            "/v1/chat/completions",
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}"));
    refused(
        "body.messages[0].role must be",
        line("a", "/v1/chat/completions", "{\"messages\":[{\"role\":\"x\",\"content\":\"y\"}]}"));
    refused(
        "body.input has 2 elements: give each a line",
        line("a", "/v1/embeddings", "{\"input\":[\"x\",\"y\"]}"));
    refused(
        "body.dimensions cannot be 3",
        line("a", "/v1/embeddings", "{\"input\":\"x\",\"dimensions\":3}"));
    refused(
        "body.temperature is not supported",
        line("a", "/v1/embeddings", "{\"input\":\"x\",\"temperature\":1}"));
  }

  @Test
  void aModelMustBeServedOrOverridden() throws IOException {
    String line = chat("a", ",\"model\":\"gpt-4o-mini\"");
    assertThatThrownBy(() -> read(new BatchFile.Models(false, Set.of("house")), line))
        .hasMessageContaining(
            "line 1: body.model \"gpt-4o-mini\" is not served; served are house; --model NAME");
    BatchFile file = read(new BatchFile.Models(true, Set.of("house")), line);
    assertThat(Json.write(file.lines().getFirst().task().input())).doesNotContain("gpt");
  }
}
