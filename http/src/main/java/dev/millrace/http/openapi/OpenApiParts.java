package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the OpenAPI document from its parts, one file per resource. {@code openapi.json} is the
 * first page and the table of contents: where the document has a path or a component, it has the
 * name of the part that defines it. The served document has the order of that table. References
 * between parts are written as in the whole document, {@code #/components/schemas/Job}.
 */
final class OpenApiParts {
  static final String CONTENTS = "openapi.json";

  private static final Set<String> SECTIONS = Set.of("paths", "components");

  private final Map<String, JsonObject> parts = new HashMap<>();

  /** What each part must define, as pointers such as {@code components/schemas/Job}. */
  private final Map<String, Set<String>> assigned = new HashMap<>();

  private OpenApiParts() {}

  /**
   * Reads all parts from the class path.
   *
   * @throws JsonException if the table of contents and the parts do not agree
   */
  static JsonObject assemble() {
    return new OpenApiParts().document(read(CONTENTS));
  }

  private JsonObject document(JsonObject contents) {
    JsonObject document = JsonObject.create();
    contents
        .values()
        .forEach(
            (name, value) ->
                document.put(
                    name,
                    switch (name) {
                      case "paths" -> section(contents.object(name), name);
                      case "components" -> components(contents.object(name));
                      default -> value;
                    }));
    parts.forEach(this::requireListed);
    return document;
  }

  private Map<String, @Nullable Object> components(JsonObject contents) {
    JsonObject components = JsonObject.create();
    for (String kind : contents.values().keySet()) {
      components.put(kind, section(contents.object(kind), "components/" + kind));
    }
    return components.values();
  }

  /** Replaces the name of a part with what the part defines under the same name. */
  private Map<String, @Nullable Object> section(JsonObject contents, String pointer) {
    JsonObject section = JsonObject.create();
    for (String name : contents.values().keySet()) {
      section.put(name, definition(contents.string(name), pointer, name));
    }
    return section.values();
  }

  private Object definition(String file, String pointer, String name) {
    JsonObject at = parts.computeIfAbsent(file, OpenApiParts::read);
    for (String step : pointer.split("/")) {
      at = at.object(step);
    }
    Object definition = at.get(name);
    if (definition == null) {
      throw new JsonException(
          "%s does not define \"%s\" in %s, as %s says".formatted(file, name, pointer, CONTENTS));
    }
    assigned.computeIfAbsent(file, key -> new LinkedHashSet<>()).add(pointer + "/" + name);
    return definition;
  }

  /** Refuses a part with more than the table of contents says: it would not be served. */
  private void requireListed(String file, JsonObject part) {
    Set<String> defined = new LinkedHashSet<>();
    part.only(SECTIONS);
    part.object("paths").values().keySet().forEach(path -> defined.add("paths/" + path));
    JsonObject components = part.object("components");
    for (String kind : components.values().keySet()) {
      for (String name : components.object(kind).values().keySet()) {
        defined.add("components/" + kind + "/" + name);
      }
    }
    defined.removeAll(assigned.getOrDefault(file, Set.of()));
    if (!defined.isEmpty()) {
      throw new JsonException(
          "%s defines %s, which %s does not list for it: add it there"
              .formatted(file, defined, CONTENTS));
    }
  }

  private static JsonObject read(String file) {
    try (InputStream in = OpenApiParts.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new JsonException(file + " is missing from the class path");
      }
      return Json.object(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
