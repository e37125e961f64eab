package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SchemaTest {
  private static final String FORM =
      """
      {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "kind": {"enum": ["RED", "GREEN"]},
        "type": {"type": "string", "pattern": "^[a-z]+$"},
        "at": {"type": "string", "format": "date-time"},
        "list": {"type": "array", "maxItems": 2, "items": {"type": "integer"}},
        "one": {"oneOf": [{"type": "string", "title": "text"}, {"type": "object", "title": "a thing",
          "required": ["id"], "additionalProperties": false, "properties": {"id": {"type": "integer"}}}]}}}
      """;

  private static Schema schema(String text) {
    JsonObject document = Json.object(text);
    return new SchemaCompiler(document).compile(document, "#");
  }

  private static Problem problem(String schema, String value) {
    return catchThrowableOfType(
        Problem.class, () -> schema(schema).check(Json.parse(value), "request/body"));
  }

  @Test
  void wrongFormNamesLocationAndRule() {
    assertMalformed("[]", "request/body must be an object, not a list");
    assertMalformed("{}", "request/body must have required property 'name'");
    assertMalformed("{\"name\": 5}", "request/body/name must be text, not the number 5");
    assertMalformed(
        "{\"nmae\": \"abc\"}",
        "request/body has an unknown property \"nmae\"; did you mean \"name\"?");
    assertMalformed(
        "{\"name\": \"abc\", \"zzzzzz\": 1}",
        "request/body has an unknown property \"zzzzzz\"; known: name, count, share, kind, type,"
            + " at, list, one");
    assertMalformed(
        "{\"name\": \"abc\", \"list\": [1, \"2\"]}",
        "request/body/list/1 must be a whole number, not text");
  }

  @Test
  void wrongValueNamesLocationAndRule() {
    assertInvalid("{\"name\": \"a\"}", "request/body/name must have 2 to 5 characters, not 1");
    assertInvalid(
        "{\"name\": \"abc\", \"count\": 0}", "request/body/count must be at least 1, not 0");
    assertInvalid(
        "{\"name\": \"abc\", \"count\": 1e30}", "request/body/count must be at most 10, not 1E+30");
    assertInvalid("{\"name\": \"abc\", \"share\": 0}", "request/body/share must be above 0, not 0");
    assertInvalid(
        "{\"name\": \"abc\", \"kind\": \"green\"}",
        "request/body/kind must be one of RED, GREEN; did you mean \"GREEN\"?");
    assertInvalid("{\"name\": \"abc\", \"type\": \"A\"}", "request/body/type must match ^[a-z]+$");
    assertInvalid(
        "{\"name\": \"abc\", \"list\": [1, 2, 3]}",
        "request/body/list must have at most 2 items, not 3");
    assertInvalid(
        "{\"name\": \"abc\", \"at\": \"2026-02-30T00:00:00Z\"}",
        "request/body/at must be a time such as 2026-01-31T09:00:00Z");
  }

  @Test
  void finalLineBreakDoesNotMatchAPattern() {
    assertInvalid(
        "{\"name\": \"abc\", \"type\": \"a\\n\"}", "request/body/type must match ^[a-z]+$");
    assertInvalid(
        "{\"name\": \"abc\", \"at\": \"2026-01-30T00:00:00Z\\n\"}",
        "request/body/at must be a time such as 2026-01-31T09:00:00Z");
  }

  @Test
  void lengthCountsCodePoints() {
    assertThat(problem(FORM, "{\"name\": \"𝄞𝄞𝄞𝄞𝄞\"}")).isNull();
    assertInvalid("{\"name\": \"𝄞\"}", "request/body/name must have 2 to 5 characters, not 1");
  }

  @Test
  void integerMayBeWrittenWithAFraction() {
    assertThat(problem(FORM, "{\"name\": \"abc\", \"count\": 3.0}")).isNull();
    assertMalformed(
        "{\"name\": \"abc\", \"count\": 3.5}",
        "request/body/count must be a whole number, not the number 3.5");
  }

  @Test
  void errorOfAChoiceIsAboutTheMostLikelySchema() {
    assertMalformed(
        "{\"name\": \"abc\", \"one\": {\"id\": \"x\"}}",
        "request/body/one/id must be a whole number, not text");
    assertMalformed(
        "{\"name\": \"abc\", \"one\": 5}", "request/body/one must be one of: text; a thing");
    assertMalformed(
        "{\"name\": \"abc\", \"one\": {}}", "request/body/one must have required property 'id'");
  }

  @Test
  void discriminatorSelectsTheSchema() {
    OpenApiDocument.Operation submit = OpenApiDocument.load().operation("submitJob").orElseThrow();
    Schema body = Objects.requireNonNull(submit.body());
    assertThatThrownBy(
            () ->
                body.check(
                    Json.parse(
                        "{\"action\": \"generate\", \"inputs\": {\"prompt\": \"x\", \"topp\": 1}}"),
                    "request/body"))
        .hasMessage("request/body/inputs has an unknown property \"topp\"; did you mean \"topP\"?");
    assertThatCode(
            () ->
                body.check(
                    Json.parse("{\"action\": \"anything\", \"inputs\": {\"x\": 1}}"),
                    "request/body"))
        .as("the document does not know which programs exist")
        .doesNotThrowAnyException();
  }

  @Test
  void parameterIsParsedByItsType() {
    assertThat(schema("{\"type\": \"integer\"}").parseAndCheck("-12", "q")).isEqualTo(-12L);
    assertThat(schema("{\"type\": \"boolean\"}").parseAndCheck("true", "q")).isEqualTo(true);
    assertThat(schema("{\"type\": \"string\"}").parseAndCheck("true", "q")).isEqualTo("true");
    for (String wrong : List.of("", "x", "+1", "1.5", "٣", "99999999999999999999", "true", "-")) {
      assertThatThrownBy(
              () -> schema("{\"type\": \"integer\"}").parseAndCheck(wrong, "request/query/n"))
          .as("\"%s\"", wrong)
          .isInstanceOfSatisfying(
              Problem.class, p -> assertThat(p.kind()).isEqualTo(Problem.Kind.INVALID))
          .hasMessageStartingWith("request/query/n must be a whole number");
    }
  }

  @Test
  void longNamesAreTruncatedInMessages() {
    Problem problem = problem(FORM, "{\"" + "x".repeat(100_000) + "\": 1}");
    assertThat(problem.text()).hasSizeLessThan(300).contains("x…\"");
  }

  @Test
  void schemaMayBeRecursiveAndDepthIsBounded() {
    JsonObject document =
        Json.object("{\"tree\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/tree\"}}}");
    Schema tree = new SchemaCompiler(document).compile(document.get("tree"), "tree");
    tree.check(Json.parse("[".repeat(200) + "]".repeat(200)), "value");
    assertThatThrownBy(() -> tree.check(Json.parse("[[[1]]]"), "value"))
        .hasMessage("value/0/0/0 must be a list, not the number 1");
    JsonObject endless = Json.object("{\"a\": {\"$ref\": \"#/a\"}}");
    Schema loop = new SchemaCompiler(endless).compile(endless.get("a"), "a");
    assertThatThrownBy(() -> loop.check(1L, "value")).hasMessage("value is nested too deeply");
  }

  @Test
  void unknownKeywordIsRefused() {
    for (String unknown :
        List.of(
            "{\"type\": \"object\", \"patternProperties\": {}}",
            "{\"properties\": {\"a\": {\"multipleOf\": 2}}}",
            "{\"items\": {\"uniqueItems\": true}}",
            "{\"oneOf\": [{\"allOf\": []}]}",
            "{\"type\": \"string\", \"format\": \"email\"}")) {
      assertThatThrownBy(() -> schema(unknown))
          .as(unknown)
          .isInstanceOf(JsonException.class)
          .hasMessageContaining("unknown here");
    }
  }

  @Test
  void errorsOfAlternativesAreAboutTheOneThatWasMeant() {
    String lists =
        """
        {"oneOf": [
          {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
          {"type": "array", "items": {"type": "string"}, "maxItems": 2}]}
        """;
    assertThat(problem(lists, "[\"a\", \"b\", \"c\"]"))
        .hasMessage("request/body must have at most 2 items, not 3");
    assertThat(problem(lists, "[1, 2, 3, 4]"))
        .hasMessage("request/body must have at most 3 items, not 4");
    assertThat(problem(lists, "[\"a\", 2]"))
        .hasMessage("request/body/1 must be text, not the number 2");
    assertThat(problem(lists, "[1, \"b\"]"))
        .hasMessage("request/body/1 must be a whole number, not text");
  }

  @Test
  void jsonObjectsAreCheckedToo() {
    Schema schema = schema(FORM);
    assertThatCode(
            () -> schema.check(JsonObject.create().put("name", "abc").put("count", 3), "answer"))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> schema.check(Map.of("name", "abc", "count", 30L), "answer"))
        .hasMessage("answer/count must be at most 10, not 30");
  }

  private static void assertMalformed(String value, String message) {
    assertViolation(Problem.Kind.MALFORMED, value, message);
  }

  private static void assertInvalid(String value, String message) {
    assertViolation(Problem.Kind.INVALID, value, message);
  }

  private static void assertViolation(Problem.Kind kind, String value, String message) {
    Problem problem = problem(FORM, value);
    assertThat(problem).as(value).isNotNull();
    assertThat(problem.text()).isEqualTo(message);
    assertThat(problem.kind()).as(message).isEqualTo(kind);
  }
}
