package dev.millrace.server.infer.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.TinyModels;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.run.TermsResolution.ClaimLost;
import dev.millrace.server.infer.run.TermsResolution.Fresh;
import dev.millrace.server.infer.run.TermsResolution.Refused;
import dev.millrace.server.infer.run.TermsResolution.Resumed;
import dev.millrace.server.infer.shelf.ModelLease;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The four ways in which the terms of a task are resolved. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TermsResolverTest {
  private static final String DATA = "{\"max_tokens\": 20, \"raw\": true}";
  private static final int END = 2; // the token </s>
  private static final List<Integer> PRIOR = List.of(5, 6, 7);

  private ModelLibrary library;
  private ModelLease<LoadedModel> lease;

  @BeforeAll
  void open() throws InterruptedException {
    InferenceSettings settings =
        InferenceSettings.of(List.of(TinyModels.llama()))
            .withEngine(TinyModels.engine())
            .withChatTemplate("{# <think> #}{% if tools %}T{% endif %}{{ messages[0].content }}");
    library =
        new ModelLibrary(
            settings.models(),
            settings.engine(),
            settings.defaults(),
            settings.shelf(),
            System::nanoTime);
    lease = library.requestGenerator(null).await().orElseThrow();
  }

  @AfterAll
  void close() {
    lease.close();
    library.close();
  }

  private TermsResolution resolve(FakeTaskContext task) {
    GenerateParameters asked = GenerateParameters.of(task.data(), task.input());
    return new TermsResolver(lease.item(), asked, task).resolve();
  }

  private static FakeTaskContext first() {
    return FakeTaskContext.generate("once", DATA);
  }

  /** The next attempt, after one that journaled {@link #PRIOR}. */
  private static FakeTaskContext next(FakeTaskContext first, JsonObject frozen) {
    return new FakeTaskContext("generate", first.input(), first.data(), frozen, PRIOR);
  }

  private JsonObject frozen() {
    FakeTaskContext first = first();
    resolve(first);
    assertThat(first.frozen).isNotNull();
    return first.frozen;
  }

  @Test
  void theFirstAttemptFreezesItsTerms() {
    FakeTaskContext task = first();
    assertThat(resolve(task))
        .isInstanceOfSatisfying(
            Fresh.class,
            fresh -> {
              assertThat(fresh.task().prior().tokens()).isEmpty();
              assertThat(task.frozen).hasToString(fresh.task().terms().toJson().toString());
            });
  }

  @Test
  void theNextAttemptResumesUnderTheSameTerms() {
    JsonObject frozen = frozen();
    FakeTaskContext next = next(first(), frozen);
    assertThat(resolve(next))
        .isInstanceOfSatisfying(
            Resumed.class,
            resumed -> {
              assertThat(resumed.task().prior().tokens()).containsExactly(5, 6, 7);
              assertThat(resumed.task().terms().toJson()).hasToString(frozen.toString());
            });
    assertThat(next.lines).isEmpty();
  }

  @Test
  void aResumedTaskCanBeRestarted() {
    FakeTaskContext next = next(first(), frozen());
    Resumed resumed = (Resumed) resolve(next);
    assertThat(resumed.otherwise().get())
        .isInstanceOfSatisfying(
            Fresh.class, fresh -> assertThat(fresh.task().prior().tokens()).isEmpty());
    next.claimLost = true;
    assertThat(resumed.otherwise().get()).isEqualTo(new ClaimLost());
  }

  @Test
  void aChangeOrUnreadableTermsRestartTheTask() {
    FakeTaskContext changed = next(first(), frozen().put("context", 7L));
    assertThat(resolve(changed)).isInstanceOf(Fresh.class);
    assertThat(changed.lines)
        .containsExactly(
            "the context length changed (7 then, 256 now): 3 tokens discarded; restarting");
    FakeTaskContext unreadable = next(first(), frozen().put("parameters", "none"));
    assertThat(resolve(unreadable)).isInstanceOf(Fresh.class);
    assertThat(unreadable.lines)
        .singleElement()
        .asString()
        .startsWith("the frozen terms of an earlier attempt cannot be read: ")
        .endsWith(": 3 tokens discarded; restarting");
  }

  /** As an older version froze them: the schema covers the whole output. */
  @Test
  void termsOfAnOlderVersionKeepTheirMeaning() {
    String data = "{\"json_schema\": {\"type\": \"integer\"}, \"thinking\": true}";
    FakeTaskContext first = FakeTaskContext.generate("once", data);
    Fresh fresh = (Fresh) resolve(first);
    assertThat(fresh.task().outputFormat().thoughtTags()).isNotNull();
    assertThat(first.frozen.object("parameters").string("constraint_start"))
        .isEqualTo("after_thoughts");
    Map<String, Object> parameters =
        new LinkedHashMap<>(first.frozen.object("parameters").values());
    parameters.remove("constraint_start");
    Map<String, Object> terms = new LinkedHashMap<>(first.frozen.values());
    terms.put("parameters", parameters);
    terms.remove("thoughts_opened");
    FakeTaskContext next = next(first, JsonObject.of(terms, "terms"));
    assertThat(resolve(next))
        .isInstanceOfSatisfying(
            Resumed.class,
            resumed -> assertThat(resumed.task().outputFormat().thoughtTags()).isNull());
    assertThat(next.lines).isEmpty();
  }

  /** As an older version froze them: stop texts count everywhere, and names are not shown. */
  @Test
  void stopTextsAndNamesOfAnOlderVersionKeepTheirMeaning() throws InterruptedException {
    Map<String, Object> input =
        Json.object(
                "{\"messages\": [{\"role\": \"user\", \"name\": \"Ada\", \"content\": \"once\"}]}")
            .values();
    FakeTaskContext first =
        new FakeTaskContext("generate", input, Json.object("{\"stop\": [\"x\"]}"));
    ResolvedTask fresh = ((Fresh) resolve(first)).task();
    assertThat(text(fresh)).isEqualTo("Ada: once");
    assertThat(fresh.request(lease.item().weightless(), 0).stopScope().thoughts()).isNotNull();
    Map<String, Object> parameters =
        new LinkedHashMap<>(first.frozen.object("parameters").values());
    assertThat(parameters).containsKeys("stop_start", "names");
    parameters.keySet().removeAll(List.of("stop_start", "names"));
    FakeTaskContext unnamed = FakeTaskContext.generate("once", "{\"stop\": [\"x\"]}");
    resolve(unnamed);
    Map<String, Object> terms = new LinkedHashMap<>(unnamed.frozen.values());
    terms.put("parameters", parameters);
    FakeTaskContext next = next(first, JsonObject.of(terms, "terms"));
    ResolvedTask resumed = ((Resumed) resolve(next)).task();
    assertThat(text(resumed)).isEqualTo("once");
    assertThat(resumed.request(lease.item().weightless(), 0).stopScope().thoughts()).isNull();
    assertThat(next.lines).isEmpty();
  }

  private static String text(ResolvedTask task) {
    return Objects.requireNonNull(task.prompt().chat()).text();
  }

  /** The text of a control token in a message: a token by the old rule, text by the present one. */
  @Test
  void workBegunByTheOldRuleForSpecialTokensResumesByIt() {
    FakeTaskContext first = FakeTaskContext.generate("once</s>upon", "{\"max_tokens\": 20}");
    Fresh fresh = (Fresh) resolve(first);
    assertThat(fresh.task().prompt().tokens()).doesNotContain(END);
    assertThat(first.frozen.string("special_tokens")).isEqualTo("template");
    GenerateParameters asked = GenerateParameters.of(first.data(), first.input());
    JsonObject byText = Json.object(first.frozen.toString());
    byText.values().remove("special_tokens");
    ResolvedTask old = ResolvedTask.under(byText, lease.item(), asked, FakeTaskContext.CREATED);
    assertThat(old.prompt().tokens()).contains(END);
    JsonObject frozen = old.terms().toJson();
    assertThat(frozen.string("special_tokens")).isEqualTo("text");
    Map<String, Object> older = new LinkedHashMap<>(frozen.values());
    older.remove("special_tokens");
    for (JsonObject terms : List.of(frozen, JsonObject.of(older, "terms"))) {
      FakeTaskContext next = next(first, terms);
      assertThat(resolve(next))
          .isInstanceOfSatisfying(
              Resumed.class,
              resumed ->
                  assertThat(resumed.task().prompt().tokens()).isEqualTo(old.prompt().tokens()));
      assertThat(next.lines).isEmpty();
    }
  }

  @Test
  void aRuleThatIsNotKnownRestartsTheTask() {
    FakeTaskContext next = next(first(), frozen().put("special_tokens", "moon"));
    assertThat(resolve(next)).isInstanceOf(Fresh.class);
    assertThat(next.lines)
        .singleElement()
        .asString()
        .contains("the rule \"moon\" for special tokens is not known to this version");
  }

  @Test
  void aRawPromptNamesSpecialTokensAndHasNoRule() {
    FakeTaskContext raw = FakeTaskContext.generate("once</s>upon", DATA);
    assertThat(((Fresh) resolve(raw)).task().prompt().tokens()).contains(END);
    assertThat(raw.frozen.has("special_tokens")).isFalse();
  }

  @Test
  void aSchemaLeavesThoughtsFreeUnlessTheyAreOff() {
    String schema = "{\"json_schema\": {\"type\": \"integer\"}";
    FakeTaskContext free = FakeTaskContext.generate("once", schema + "}");
    assertThat(((Fresh) resolve(free)).task().outputFormat().thoughtTags()).isNotNull();
    FakeTaskContext off = FakeTaskContext.generate("once", schema + ", \"thinking\": false}");
    assertThat(((Fresh) resolve(off)).task().outputFormat().thoughtTags()).isNull();
    FakeTaskContext raw = FakeTaskContext.generate("once", schema + ", \"raw\": true}");
    assertThat(((Fresh) resolve(raw)).task().outputFormat().thoughtTags()).isNull();
  }

  @Test
  void theFormatOfStoredOutputIsThatOfTheTask() {
    String tools = "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\"}}]";
    for (String more :
        List.of(
            "\"raw\": true",
            "\"thinking\": false",
            tools,
            tools + ", \"tool_choice\": \"required\", \"thinking\": false",
            tools + ", \"tool_choice\": \"none\"",
            "\"json_schema\": {}, \"thinking\": false")) {
      FakeTaskContext task = FakeTaskContext.generate("once", "{" + more + "}");
      Fresh fresh = (Fresh) resolve(task);
      JsonObject data = Json.object(task.data().toString()).put("prompt", "once");
      assertThat(StoredOutputFormat.of(task.frozen, data))
          .as(more)
          .isEqualTo(fresh.task().outputFormat());
    }
  }

  @Test
  void aTaskThatCannotRunIsRefusedInEveryAttempt() {
    String bias = "{\"max_tokens\": 20, \"raw\": true, \"logit_bias\": {\"999\": 1}}";
    FakeTaskContext task = FakeTaskContext.generate("once", bias);
    assertThat(resolve(task))
        .isEqualTo(
            new Refused(
                "parameter \"logit_bias\" names token 999; model \"tiny\" has tokens 0 to 319"));
    assertThat(task.frozen).isNull();
    FakeTaskContext large = FakeTaskContext.generate("once ".repeat(300), DATA);
    assertThat(resolve(large))
        .isInstanceOfSatisfying(
            Refused.class,
            refused ->
                assertThat(refused.reason()).startsWith("Prompt too large for context budget: "));
  }

  @Test
  void aLostClaimFreezesNothing() {
    FakeTaskContext task = first();
    task.claimLost = true;
    assertThat(resolve(task)).isEqualTo(new ClaimLost());
    assertThat(task.frozen).isNull();
  }

  @Test
  void revokedTokensAreDroppedUnderTheSameTerms() {
    JsonObject frozen = frozen();
    FakeTaskContext next = next(first(), frozen);
    Resumed resumed = (Resumed) resolve(next);
    assertThat(TermsResolution.freeze(next, resumed.task()))
        .isInstanceOfSatisfying(
            Fresh.class,
            fresh -> {
              assertThat(fresh.task().terms()).isEqualTo(resumed.task().terms());
              assertThat(fresh.task().prior().tokens()).isEmpty();
            });
  }
}
