package dev.millrace.http.so1;

import static dev.millrace.http.route.Problem.Kind.MALFORMED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.route.Problem;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Job specifications from requests of the so1 API. */
class SubmissionReaderTest {
  private final RecentWorkerTypes workers =
      RecentWorkerTypes.load(
          new MemoryStoreFixture().open(ContractSettings.steady(new ManualClock())),
          InstantSource.system());
  private final SubmissionReader submission =
      new SubmissionReader(
          new KnownActions(Set.of("generate", "embed", "resize"), workers),
          Set.of("house", "other"));

  private JobSpec spec(String json) {
    return submission.read(FakeSubmitRequest.of(json));
  }

  private JobSpec generate(String inputs) {
    return spec("{\"action\":\"generate\",\"inputs\":" + inputs + "}");
  }

  private AbstractThrowableAssert<?, ? extends Throwable> refused(String json) {
    return refused(Problem.Kind.INVALID, json);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> refused(Problem.Kind kind, String json) {
    return assertThatThrownBy(() -> spec(json))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.kind()).isEqualTo(kind));
  }

  private static StageSpec only(JobSpec spec) {
    assertThat(spec.stages()).hasSize(1);
    assertThat(spec.stages().getFirst().tasks()).hasSize(1);
    return spec.stages().getFirst();
  }

  private static JsonObject origin(JobSpec spec) {
    return spec.metadata().object("so1");
  }

  @Test
  void promptIsATextInput() {
    StageSpec stage = only(generate("{\"prompt\":\"Hello\",\"maxTokens\":5}"));
    assertThat(stage.type()).isEqualTo("generate");
    assertThat(stage.tasks().getFirst().input()).isEqualTo("Hello");
    assertThat(stage.data().toString()).isEqualTo("{\"max_tokens\":5}");
  }

  @Test
  void messagesAreTheInputOfTheTask() {
    StageSpec stage =
        only(generate("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"seed\":3}"));
    assertThat(Json.write(stage.tasks().getFirst().input()))
        .isEqualTo("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");
    assertThat(stage.data().toString()).isEqualTo("{\"seed\":3}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model            | model             | \"house\"",
        "system           | system            | \"Be brief.\"",
        "tools            | tools             |"
            + " [{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]",
        "raw              | raw               | true",
        "thinking         | thinking          | false",
        "temperature      | temperature       | 0.5",
        "topK             | top_k             | 40",
        "topP             | top_p             | 0.9",
        "minP             | min_p             | 0.05",
        "repeatPenalty    | repeat_penalty    | 1.1",
        "repeatLastN      | repeat_last_n     | -1",
        "presencePenalty  | presence_penalty  | 0.5",
        "frequencyPenalty | frequency_penalty | -0.5",
        "logitBias        | logit_bias        | {\"7\":-100}",
        "seed             | seed              | 7",
        "stop             | stop              | [\"\\n\"]",
        "maxTokens        | max_tokens        | 64",
        "ignoreEos        | ignore_eos        | true",
        "grammar          | grammar           | \"root ::= \\\"a\\\"\"",
        "responseFormat   | response_format   | {\"type\":\"json_object\"}"
      })
  void eachInputHasAParameter(String input, String parameter, String value) {
    JobSpec spec = generate("{\"prompt\":\"x\",\"" + input + "\":" + value + "}");
    assertThat(only(spec).data().values()).containsExactly(Map.entry(parameter, Json.parse(value)));
  }

  @Test
  void schemaIsStoredAsText() {
    for (String schema : Set.of("{\"type\":\"object\"}", "\"{\\\"type\\\":\\\"object\\\"}\"")) {
      StageSpec stage = only(generate("{\"prompt\":\"x\",\"jsonSchema\":" + schema + "}"));
      assertThat(stage.data().get("json_schema")).isEqualTo("{\"type\":\"object\"}");
    }
  }

  @Test
  void nullInputIsIgnored() {
    assertThat(only(generate("{\"prompt\":\"x\",\"seed\":null}")).data().values()).isEmpty();
  }

  @Test
  void embeddingsTakeAPromptOrAnInput() {
    for (String name : Set.of("prompt", "input")) {
      JobSpec spec =
          spec(
              "{\"action\":\"embed\",\"inputs\":{\""
                  + name
                  + "\":\"x\",\"pooling\":\"cls\",\"normalize\":false}}");
      assertThat(only(spec).tasks().getFirst().input()).isEqualTo("x");
      assertThat(only(spec).data().toString())
          .isEqualTo("{\"pooling\":\"cls\",\"normalize\":false}");
    }
    refused("{\"action\":\"embed\",\"inputs\":{\"prompt\":\"x\",\"input\":\"y\"}}")
        .hasMessageContaining("\"prompt\" and \"input\" exclude each other");
    refused("{\"action\":\"embed\",\"inputs\":{\"prompt\":\"x\",\"pooling\":\"sum\"}}")
        .hasMessage("input \"pooling\" is \"sum\"; it must be \"mean\", \"cls\" or \"last\"");
    refused(MALFORMED, "{\"action\":\"embed\",\"inputs\":{\"prompt\":\"x\",\"seed\":1}}")
        .hasMessageContaining("unknown field \"seed\"; known: input, model, normalize");
  }

  private Object input(String action, String inputs) {
    String rest = inputs.isEmpty() ? "" : ",\"inputs\":" + inputs;
    StageSpec stage = only(spec("{\"action\":\"" + action + "\"" + rest + "}"));
    assertThat(stage.type()).isEqualTo(action);
    assertThat(stage.data().values()).isEmpty();
    return Json.write(stage.tasks().getFirst().input());
  }

  @Test
  void promptAloneReachesAProgramAsText() {
    assertThat(input("resize", "{\"prompt\":\"a.png\"}")).isEqualTo("\"a.png\"");
    assertThat(input("resize", "{\"prompt\":\"\"}")).isEqualTo("\"\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"prompt\":5}",
        "{\"prompt\":\"a.png\",\"width\":640}",
        "{\"prompt\":\"a.png\",\"model\":null}",
        "{\"repo\":\"a/b\",\"deep\":[{\"x\":[1.5,true]}]}"
      })
  void otherInputsReachAProgramAsJson(String inputs) {
    assertThat(input("resize", inputs)).isEqualTo(inputs);
  }

  @Test
  void inputsMayBeMissing() {
    assertThat(input("resize", "")).isEqualTo("{}");
    refused("{\"action\":\"generate\"}").hasMessage("inputs has no \"prompt\"");
  }

  @Test
  void remoteWorkerGetsTheInputsAsTheyAre() {
    workers.markSeen("trigger-github-workflow");
    assertThat(input("trigger-github-workflow", "")).isEqualTo("{}");
    assertThat(input("trigger-github-workflow", "{\"prompt\":\"x\"}"))
        .isEqualTo("{\"prompt\":\"x\"}");
  }

  @Test
  void listOfKnownActionsIsBounded() {
    for (int i = 0; i < 60; i++) {
      workers.markSeen("w" + i);
    }
    refused("{\"action\":\"paint\"}")
        .hasMessageContaining("known: embed, generate, pipeline, resize, w0, w1, w10")
        .hasMessageEndingWith("and 14 more");
  }

  @Test
  void errorOfAnUnknownActionListsTheActions() {
    refused("{\"action\":\"paint\",\"inputs\":{\"prompt\":\"x\"}}")
        .hasMessage("action \"paint\" is not known here; known: embed, generate, pipeline, resize");
    refused("{\"inputs\":{}}").hasMessage("request body has no \"action\"");
    refused("{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\"},\"nmae\":\"y\"}")
        .hasMessageContaining("unknown field \"nmae\"; known: action, hold, inputs, name");
  }

  @Test
  void errorOfAnUnknownInputSuggestsANearName() {
    refused(MALFORMED, "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"max_tokens\":5}}")
        .hasMessageStartingWith(
            "inputs has an unknown field \"max_tokens\", which is \"maxTokens\" here; known: ");
    refused(MALFORMED, "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"voice\":\"v\"}}")
        .hasMessageStartingWith("inputs has an unknown field \"voice\"; known: frequencyPenalty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                     | inputs has no \"prompt\"",
        "{\"prompt\":\"\"}                      | inputs: \"prompt\" must be text",
        "{\"prompt\":5}                         | inputs: \"prompt\" must be text",
        "{\"prompt\":\"x\",\"messages\":[]}     | inputs: \"prompt\" and \"messages\" exclude each",
        "{\"messages\":[]}                      | Empty prompt",
        "{\"prompt\":\" \"}                      | Empty prompt",
        "{\"messages\":5}                       | input \"messages\" is 5; it must be",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"zz\":1}]}"
            + "| input \"messages: zz\" is not known here; known are: content, name,",
        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\",\"zz\":1}]}]}|"
            + " input \"messages: content: zz\" is not known here; known are: text, type",
        "{\"prompt\":\"x\",\"model\":\"hose\"} | model \"hose\" is not served here; served: house,"
            + " other",
        "{\"prompt\":\"x\",\"model\":\"O\"} | model \"O\" could be any of house, other; name one",
        "{\"messages\":[{\"role\":\"king\"}]}   | input \"messages: role\" is \"king\"; it must be",
        "{\"prompt\":\"x\",\"logitBias\":{\"a\":1}} | input \"logitBias\" is \"a\"; it must be the"
            + " id",
        "{\"prompt\":\"x\",\"maxTokens\":0}     | input \"maxTokens\" is 0; it must be",
        "{\"prompt\":\"x\",\"maxTokens\":\"5\"} | input \"maxTokens\" is \"5\"; it must be",
        "{\"prompt\":\"x\",\"topP\":2}          | input \"topP\" is 2; it must be",
        "{\"prompt\":\"x\",\"stop\":[\"\"]}     | input \"stop\" is \"\"; it must be",
        "{\"prompt\":\"x\",\"stop\":[\"top_k\",\"\"]} | input \"stop\" is",
        "{\"prompt\":\"x\",\"raw\":true,\"system\":\"s\"} | inputs \"raw\" and \"system\" exclude",
        "{\"prompt\":\"x\",\"grammar\":\"root ::=\",\"jsonSchema\":{}}"
            + "| \"jsonSchema\" and \"grammar\"",
        "{\"prompt\":\"x\",\"grammar\":\"root ::= (\"} | grammar: ",
        "{\"prompt\":\"x\",\"grammar\":\"root ::= [ab]* [a] [ab]{20}\"} | grammar: rule root is too"
            + " large: the grammar would need more than 100000 states",
        "{\"prompt\":\"x\",\"jsonSchema\":{\"type\":\"sand\"}} | jsonSchema: ",
        "{\"prompt\":\"x\",\"jsonSchema\":{},\"responseFormat\":{\"type\":\"text\"}}"
            + "| inputs \"responseFormat\" and \"jsonSchema\" exclude"
      })
  void invalidInputIsRefusedUnderItsApiName(String inputs, String message) {
    refused("{\"action\":\"generate\",\"inputs\":" + inputs + "}").hasMessageContaining(message);
  }

  @Test
  void tooLargeGrammarIsRefused() {
    refused(
            "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"grammar\":\""
                + "a".repeat(1_000_001)
                + "\"}}")
        .hasMessageContaining("grammar: it has more than the 1000000 bytes");
  }

  @Test
  void fieldsOfTheJobAreRead() {
    TraceContext trace =
        new TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", null);
    FakeSubmitRequest request =
        new FakeSubmitRequest(
            Json.parse(
                """
                {"action":"generate","inputs":{"prompt":"x"},"name":"n","priority":"HIGH",
                 "tags":["a","b"],"hold":true,
                 "webhooks":[{"url":"https://example.org/hook","on":["failed"]}]}
                """),
            trace);
    JobSpec spec = submission.read(request);
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.priority()).isEqualTo(Priority.HIGH);
    assertThat(spec.tags()).containsExactly("a", "b");
    assertThat(spec.held()).isTrue();
    assertThat(spec.open()).isFalse();
    assertThat(spec.trace()).isEqualTo(trace);
    assertThat(submission.read(new FakeSubmitRequest(request.body(), null)).trace())
        .as("a trace is started")
        .isNotNull()
        .matches(TraceContext::isStarted);
    assertThat(spec.webhooks()).hasSize(1);
  }

  @Test
  void storedInputsAreRedacted() {
    JobSpec spec =
        generate(
            """
            {"prompt":"äöü😀","model":"house","maxTokens":5,"raw":false,"stop":["a","b"],
             "system":"secret","jsonSchema":{"type":"object"}}
            """);
    assertThat(origin(spec).toString())
        .isEqualTo(
            "{\"requestId\":\""
                + FakeSubmitRequest.REQUEST
                + "\",\"userId\":\"web\",\"orgId\":\"default\",\"action\":\"generate\",\"inputs\":"
                + "{\"prompt\":\"[redacted: 4 characters]\",\"model\":\"house\",\"maxTokens\":5,"
                + "\"raw\":false,\"stop\":\"[redacted: 9 characters]\","
                + "\"system\":\"[redacted: 6 characters]\","
                + "\"jsonSchema\":\"[redacted: 17 characters]\"}}");
  }

  @Test
  void storedInputsOfOtherActionsAreAllRedacted() {
    JobSpec spec =
        spec(
            """
            {"action":"resize","inputs":{"pin":1234,"ok":true,"model":"house","none":null,
             "sk-12345678":"x"}}
            """);
    assertThat(origin(spec).object("inputs").toString())
        .isEqualTo(
            "{\"pin\":\"[redacted: 4 characters]\",\"ok\":\"[redacted: 4 characters]\","
                + "\"model\":\"[redacted: 5 characters]\",\"none\":null,"
                + "\"[redacted]\":\"[redacted: 1 characters]\"}");
  }

  @Test
  void manyInputsAreShownInPart() {
    JsonObject inputs = JsonObject.create();
    for (int i = 0; i < 1_000; i++) {
      inputs.put(i + "x".repeat(1_000), 1L);
    }
    JobSpec spec = spec("{\"action\":\"resize\",\"inputs\":" + inputs + "}");
    assertThat(origin(spec).object("inputs").values()).hasSize(100);
    assertThat(origin(spec).toString().length()).isLessThan(20_000);
  }

  @Test
  void pipelineIsAJobDocument() {
    JobSpec spec =
        spec(
            """
            {"action":"pipeline","name":"outer","inputs":{"name":"inner","metadata":{"team":"x"},
             "stages":[{"type":"generate","tasks":["One.","Two."]},
                       {"type":"generate","gate":true,"each":"Sum up: {{result}}"}]}}
            """);
    assertThat(spec.name()).isEqualTo("outer");
    assertThat(spec.stages()).hasSize(2);
    assertThat(spec.stages().getLast().gate()).isTrue();
    assertThat(spec.metadata().string("team")).isEqualTo("x");
    assertThat(origin(spec).object("inputs").toString())
        .isEqualTo(
            "{\"stages\":[{\"type\":\"generate\",\"tasks\":2},{\"type\":\"generate\",\"tasks\":0}]}");
  }

  @Test
  void invalidStageOfAPipelineIsRefused() {
    String start = "{\"action\":\"pipeline\",\"inputs\":{\"stages\":[{\"type\":\"generate\",";
    refused(start + "\"data\":{\"top_k\":-1},\"tasks\":[\"x\"]}]}}")
        .hasMessageContaining("inputs: stage 1, task 1: parameter \"top_k\" is -1");
    refused(start + "\"tasks\":[\"x\",{\"input\":{\"voice\":1}}]}]}}")
        .hasMessageContaining("inputs: stage 1, task 2: parameter \"voice\" is not known");
    refused(start + "\"data\":{\"model\":\"hose\"},\"tasks\":[\"x\"]}]}}")
        .hasMessage(
            "inputs: stage 1, task 1: model \"hose\" is not served here; served: house, other");
    refused(start + "\"taskz\":[]}]}}").hasMessageContaining("unknown field \"taskz\"");
    refused(
            "{\"action\":\"pipeline\",\"inputs\":{\"metadata\":{\"so1\":{}},\"stages\":"
                + "[{\"type\":\"generate\",\"tasks\":[\"x\"]}]}}")
        .hasMessageContaining("\"so1\" is kept by the server");
  }

  @Test
  void serverWithoutModelsDoesNotCheckTheirNames() {
    SubmissionReader elsewhere =
        new SubmissionReader(new KnownActions(Set.of(), workers), Set.of());
    String body = "{\"action\":\"generate\",\"inputs\":{\"prompt\":\"x\",\"model\":\"any\"}}";
    assertThat(only(elsewhere.read(FakeSubmitRequest.of(body))).data().string("model"))
        .isEqualTo("any");
  }

  @Test
  void apiKeysAreRedacted() {
    assertThat(
            Redaction.redactSecrets(
                "Authorization: Bearer abc.def-1.ghi_jklm, sk-proj-12345678, mr_" + "a".repeat(43)))
        .isEqualTo("Authorization: [redacted], [redacted], [redacted]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "cannot read /home/ann/x: no such file | cannot read [redacted]: no such file",
        "open(\"/var/lib/ws/jobs/1/log\")      | open(\"[redacted]\")",
        "sh:/etc/app.d/run (line 3)            | sh:[redacted] (line 3)",
        "see file:///srv/x/y, then stop        | see [redacted], then stop",
        "C:\\Users\\ann\\x.txt is gone           | [redacted] is gone"
      })
  void pathsOfFilesAreRedacted(String text, String shown) {
    assertThat(Redaction.redactSecrets(text)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a mask-like word",
        "send it as Authorization: Bearer KEY",
        "resume it by PUT /v1/jobs/{jobId}/status, or see /api/jobs and /metrics",
        "there is no such path; /docs/api lists them",
        "request/body/inputs/messages/0 must be an object",
        "jsonSchema: #/properties/a/type is \"sand\"",
        "task 1/2: https://example.com:8443/a/b and https://[::1]/a/b answered 3/4, and/or //"
      })
  void otherTextIsNotRedacted(String text) {
    assertThat(Redaction.redactSecrets(text)).isEqualTo(text);
  }
}
