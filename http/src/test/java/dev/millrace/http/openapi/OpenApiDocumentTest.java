package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OpenApiDocumentTest {
  private static final Pattern IN_BRACES = Pattern.compile("\\{(\\w+)}");

  private final OpenApiDocument api = OpenApiDocument.load();
  private final String text = new String(api.bytes(), StandardCharsets.UTF_8);
  private final JsonObject document = Json.object(text);

  @Test
  void everyOperationIsLoaded() {
    assertThat(api.operations())
        .extracting(OpenApiDocument.Operation::id)
        .contains("createPipeline", "dequeueTask", "heartbeatTask", "submitJob", "getReady")
        .doesNotHaveDuplicates()
        .hasSize(72);
    OpenApiDocument.Operation dequeue = api.operation("dequeueTask").orElseThrow();
    assertThat(dequeue.method()).isEqualTo("PATCH");
    assertThat(dequeue.path()).isEqualTo("/v1/stages/{stageType}/tasks/dequeue");
    assertThat(dequeue.scope()).isEqualTo(KeyScope.WORK);
    assertThat(dequeue.body()).isNull();
    assertThat(api.operation("heartbeatTask").orElseThrow().bodyRequired()).isFalse();
    assertThat(api.operation("createJob").orElseThrow().bodyRequired()).isTrue();
    assertThat(api.operation("nothing")).isEmpty();
  }

  @Test
  void pathAndItsParametersAgree() {
    for (OpenApiDocument.Operation operation : api.operations()) {
      List<String> named =
          IN_BRACES.matcher(operation.path()).results().map(found -> found.group(1)).toList();
      assertThat(operation.parameters())
          .as(operation.id())
          .filteredOn(parameter -> parameter.in().equals("path"))
          .allMatch(OpenApiDocument.Parameter::required)
          .extracting(OpenApiDocument.Parameter::name)
          .containsExactlyElementsOf(named);
    }
  }

  @Test
  void everyOperationHasTheErrorsThatItCanGive() {
    eachOperation(
        (where, operation) -> {
          Set<String> statuses = operation.object("responses").values().keySet();
          assertThat(statuses).as(where).contains("400", "500", "503");
          if (!operation.string("x-scope").equals("none")) {
            assertThat(statuses).as(where).contains("401", "403", "429");
          }
          if (operation.has("requestBody")) {
            assertThat(statuses).as(where).contains("413", "415");
          }
          if (where.contains("Id}")) {
            assertThat(statuses).as(where).contains("404");
          }
          assertThat(statuses).as(where).anyMatch(status -> status.matches("[23].."));
        });
  }

  @Test
  void everyOperationExplainsItself() {
    Set<String> tags = new HashSet<>();
    document.list("tags").forEach(tag -> tags.add(JsonObject.of(tag, "tag").string("name")));
    eachOperation(
        (where, operation) -> {
          assertThat(operation.string("summary")).as(where).isNotBlank();
          assertThat(operation.string("description")).as(where).isNotBlank();
          assertThat(operation.list("tags")).as(where).hasSize(1).allMatch(tags::contains);
          if (operation.has("requestBody")) {
            JsonObject content = operation.object("requestBody").object("content");
            assertThat(content.object("application/json").object("examples").values())
                .as(where + " has an example of its body")
                .isNotEmpty();
          }
        });
  }

  @Test
  void everyExampleIsValidByItsSchema() {
    DocumentedResponseCheck oracle = new DocumentedResponseCheck(text);
    List<String> pointers = new ArrayList<>();
    contents(document.values(), "", pointers);
    int examples = 0;
    for (String pointer : pointers) {
      JsonObject content = JsonObject.of(oracle.at(pointer), pointer);
      Schema schema = new SchemaCompiler(document).compile(content.get("schema"), pointer);
      for (String name : content.object("examples").values().keySet()) {
        Object value = content.object("examples").object(name).get("value");
        assertThatCode(() -> schema.check(value, pointer + " " + name)).doesNotThrowAnyException();
        assertThat(oracle.errors(pointer + "/schema", Json.write(value)))
            .as(pointer + " " + name)
            .isEmpty();
        examples++;
      }
    }
    assertThat(examples).isGreaterThan(150);
  }

  @Test
  void everyDefaultIsValidByItsSchema() {
    List<String> checked = new ArrayList<>();
    defaults(document.object("components").values(), "", checked);
    assertThat(checked).hasSizeGreaterThan(20);
  }

  @Test
  void everyErrorHasExamples() {
    eachOperation(
        (where, operation) ->
            operation
                .object("responses")
                .values()
                .forEach(
                    (status, response) -> {
                      if (status.compareTo("400") >= 0 && !response.toString().contains("$ref")) {
                        JsonObject content = JsonObject.of(response, where).object("content");
                        assertThat(content.object("application/json").object("examples").values())
                            .as(where + " " + status)
                            .isNotEmpty();
                      }
                    }));
  }

  @Test
  void queryIsCheckedByName() {
    OpenApiDocument.Operation find = api.operation("findJobs").orElseThrow();
    find.checkQuery(Map.of("limit", List.of("5"), "priority", List.of("HIGH")));
    assertQuery(find, "limt", "5", "has an unknown parameter \"limt\"; did you mean \"limit\"?");
    assertQuery(find, "limit", "0", "/limit must be at least 1, not 0");
    assertQuery(find, "priority", "URGENT", "/priority must be one of VERY_HIGH, HIGH");
    assertQuery(find, "should_return_stages", "1", "/should_return_stages must be true or false");
    assertThatThrownBy(() -> find.checkQuery(Map.of("limit", List.of("1", "2"))))
        .hasMessage("request/query/limit must be given once");
  }

  private static void assertQuery(
      OpenApiDocument.Operation operation, String name, String value, String message) {
    assertThatThrownBy(() -> operation.checkQuery(Map.of(name, List.of(value))))
        .isInstanceOfSatisfying(
            Problem.class, p -> assertThat(p.kind()).isEqualTo(Problem.Kind.INVALID))
        .hasMessageStartingWith("request/query")
        .hasMessageContaining(message);
  }

  @Test
  void unknownKeywordAnywhereIsRefused() {
    assertRefused("\"maxItems\": 200000", "\"uniqueItems\": true", "uniqueItems");
    assertRefused("\"format\": \"uri\"", "\"format\": \"iri\"", "iri");
  }

  @Test
  void brokenReferenceIsRefused() {
    assertRefused("#/components/schemas/Priority\"", "#/components/schemas/Urgency\"", "Urgency");
    assertRefused("#/components/headers/Link\"", "#/components/headers/Chain\"", "Chain");
    assertRefused("#/components/responses/So1Forbidden\"", "other.json\"", "other.json");
  }

  @Test
  void repeatedOperationIdAndUnknownScopeAreRefused() {
    assertRefused("\"operationId\": \"getLive\"", "\"operationId\": \"getReady\"", "getReady");
    assertRefused("\"x-scope\": \"work\"", "\"x-scope\": \"play\"", "play");
  }

  private void assertRefused(String from, String to, String named) {
    String changed = text.replaceFirst(Pattern.quote(from), to);
    assertThat(changed).isNotEqualTo(text);
    assertThatThrownBy(() -> OpenApiDocument.read(changed.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining(named);
  }

  private interface OperationVisitor {
    void at(String where, JsonObject operation);
  }

  private void eachOperation(OperationVisitor visitor) {
    JsonObject paths = document.object("paths");
    for (String path : paths.values().keySet()) {
      for (String method : paths.object(path).values().keySet()) {
        visitor.at(method + " " + path, paths.object(path).object(method));
      }
    }
  }

  /** Finds the pointers of all bodies with a schema. */
  private static void contents(@Nullable Object value, String at, List<String> found) {
    if (value instanceof Map<?, ?> map) {
      if (map.get("schema") instanceof Map<?, ?> && map.containsKey("examples")) {
        found.add(at);
      }
      map.forEach(
          (name, part) ->
              contents(
                  part, at + "/" + DocumentedResponseCheck.escape(String.valueOf(name)), found));
    }
  }

  private void defaults(@Nullable Object value, String at, List<String> checked) {
    if (value instanceof Map<?, ?> map) {
      if (map.containsKey("default") && map.containsKey("type")) {
        new SchemaCompiler(document).compile(map, at).check(map.get("default"), at + "/default");
        checked.add(at);
      }
      map.forEach((name, part) -> defaults(part, at + "/" + name, checked));
    } else if (value instanceof List<?> list) {
      list.forEach(part -> defaults(part, at, checked));
    }
  }

  @Test
  void textsMentionOnlyExistingPaths() {
    Set<String> paths = document.object("paths").values().keySet();
    Pattern mention = Pattern.compile("(?:GET|POST|PUT|PATCH|DELETE) (/[\\w/{}.-]*[\\w}])");
    List<String> mentioned =
        mention.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    assertThat(mentioned).isNotEmpty().allMatch(paths::contains);
  }
}
