package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The document is the sum of its parts, and each part has the paths of its tag. */
class OpenApiPartsTest {
  private static final Path DIRECTORY = Path.of("src/main/resources/dev/millrace/http/openapi");

  /** The part with the paths of a tag. */
  private static final Map<String, String> PART_OF_TAG =
      Map.ofEntries(
          Map.entry("Pipelines", "pipelines.json"),
          Map.entry("Jobs", "jobs.json"),
          Map.entry("Search", "search.json"),
          Map.entry("Bulk", "bulk.json"),
          Map.entry("Inspection", "inspection.json"),
          Map.entry("Retention", "prune.json"),
          Map.entry("Stages", "stages.json"),
          Map.entry("Tasks", "tasks.json"),
          Map.entry("Working", "workers.json"),
          Map.entry("Live", "live.json"),
          Map.entry("Actions", "so1.json"),
          Map.entry("Chat", "openai-chat.json"),
          Map.entry("Models", "openai.json"),
          Map.entry("Responses", "responses.json"),
          Map.entry("Page", "page.json"),
          Map.entry("Server", "server.json"),
          Map.entry("Verification", "verify.json"),
          Map.entry("Operations", "monitoring.json"));

  private static final int MAX_LINES = 1500;

  private final JsonObject document =
      Json.object(new String(OpenApiDocument.load().bytes(), StandardCharsets.UTF_8));
  private final Map<String, JsonObject> parts = parts();

  private static Map<String, JsonObject> parts() {
    Map<String, JsonObject> parts = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".json") && !name.equals(OpenApiParts.CONTENTS)) {
          parts.put(name, Json.object(Files.readString(file)));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return parts;
  }

  @Test
  void everyPathIsInOnePart() {
    List<String> paths = new ArrayList<>();
    parts.values().forEach(part -> paths.addAll(part.object("paths").values().keySet()));
    assertThat(paths)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(document.object("paths").values().keySet());
  }

  @Test
  void everyComponentIsInOnePart() {
    JsonObject components = document.object("components");
    for (String kind : components.values().keySet()) {
      List<String> names = new ArrayList<>();
      for (JsonObject part : parts.values()) {
        names.addAll(part.object("components").object(kind).values().keySet());
      }
      assertThat(names)
          .as(kind)
          .doesNotHaveDuplicates()
          .containsExactlyInAnyOrderElementsOf(components.object(kind).values().keySet());
    }
  }

  @Test
  void pathIsInThePartOfItsTag() {
    parts.forEach(
        (file, part) ->
            part.object("paths")
                .values()
                .forEach(
                    (path, item) ->
                        JsonObject.of(item, path)
                            .values()
                            .forEach(
                                (method, operation) ->
                                    assertThat(JsonObject.of(operation, path).list("tags"))
                                        .as(method + " " + path)
                                        .hasSize(1)
                                        .allMatch(
                                            tag -> file.equals(PART_OF_TAG.get((String) tag))))));
  }

  @Test
  void tagsAndTheirPartsAreTheSameSet() {
    TreeSet<String> tags = new TreeSet<>();
    document.list("tags").forEach(tag -> tags.add(JsonObject.of(tag, "tag").string("name")));
    assertThat(tags).isEqualTo(new TreeSet<>(PART_OF_TAG.keySet()));
    assertThat(parts.keySet()).containsAll(PART_OF_TAG.values());
  }

  @Test
  void noPartIsTooLongToRead() throws IOException {
    for (String file : parts.keySet()) {
      assertThat(Files.readAllLines(DIRECTORY.resolve(file))).as(file).hasSizeLessThan(MAX_LINES);
    }
  }

  @Test
  void partsAreWrittenAsTheDocumentIs() throws IOException {
    for (Map.Entry<String, JsonObject> part : parts.entrySet()) {
      assertThat(Files.readString(DIRECTORY.resolve(part.getKey())))
          .as(part.getKey())
          .isEqualTo(Json.pretty(part.getValue()) + "\n");
    }
  }
}
