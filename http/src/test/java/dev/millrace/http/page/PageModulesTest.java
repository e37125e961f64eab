package dev.millrace.http.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever a module of the page imports is served, and the page makes no HTML out of text. */
class PageModulesTest {
  private static final Path SOURCES = Path.of("src/main/resources/dev/millrace/http/page");

  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>");
  private static final Pattern LOADED =
      Pattern.compile("<(?:script|link|img)\\b[^>]*?(?:src|href)=\"([^\"]+)\"");
  private static final Pattern SPECIFIER =
      Pattern.compile("(?:\\bfrom|\\bimport)\\s*\\(?\\s*[\"']([^\"'\\s]+)[\"']");

  private final PageTestServer server = new PageTestServer();

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void everyImportOfAnyModuleIsServed() throws Exception {
    String html = server.page();
    JsonObject imports = imports(html);
    Deque<URI> open = new ArrayDeque<>();
    LOADED.matcher(html).results().forEach(it -> open.add(server.home().resolve(it.group(1))));
    for (Path file : own(".js")) {
      open.add(server.home().resolve("/page/" + SOURCES.relativize(file)));
    }
    Set<URI> seen = new HashSet<>(open);
    while (!open.isEmpty()) {
      URI address = open.remove();
      HttpResponse<byte[]> module = server.get(address);
      assertThat(module.statusCode()).as(address.toString()).isEqualTo(200);
      if (address.getPath().endsWith(".js")) {
        for (String specifier : specifiers(PageTestServer.text(module))) {
          URI imported = resolve(specifier, address, imports);
          if (seen.add(imported)) {
            open.add(imported);
          }
        }
      }
    }
    assertThat(seen)
        .extracting(URI::getPath)
        .anyMatch(it -> it.endsWith("/lit-html.js"))
        .anyMatch(it -> it.endsWith("/lit-element.js"))
        .anyMatch(it -> it.endsWith("/reactive-element.js"))
        .allMatch(it -> it.startsWith("/page/"));
  }

  private static JsonObject imports(String html) {
    Matcher map = IMPORT_MAP.matcher(html);
    assertThat(map.find()).isTrue();
    assertThat(html.indexOf("type=\"module\""))
        .as("an import map comes before the first module")
        .isGreaterThan(map.end());
    return Json.object(map.group(1)).object("imports");
  }

  private static List<String> specifiers(String module) {
    return SPECIFIER.matcher(module).results().map((MatchResult it) -> it.group(1)).toList();
  }

  /** As a browser does: relative to the module, or by the longest name of the import map. */
  private URI resolve(String specifier, URI module, JsonObject imports) {
    if (specifier.startsWith(".") || specifier.startsWith("/")) {
      return module.resolve(specifier);
    }
    String name =
        imports.values().keySet().stream()
            .filter(it -> it.equals(specifier) || it.endsWith("/") && specifier.startsWith(it))
            .max(Comparator.comparingInt(String::length))
            .orElseThrow(() -> new AssertionError(module + " imports unknown " + specifier));
    String rest = specifier.substring(name.length());
    return server.home().resolve(imports.string(name) + rest);
  }

  private static List<Path> own(String... endings) throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files
          .filter(file -> Stream.of(endings).anyMatch(end -> file.toString().endsWith(end)))
          .sorted()
          .toList();
    }
  }

  /** What the policy forbids, or what would make HTML out of a user's text. */
  @Test
  void noSourceTurnsTextIntoHtmlOrLoadsFromElsewhere() throws Exception {
    Pattern forbidden =
        Pattern.compile(
            "innerHTML|outerHTML|insertAdjacentHTML|unsafeHTML|unsafeSVG|unsafeStatic|unsafeCSS"
                + "|document\\.write|\\beval\\(|new Function\\(|(?:from|import|src=)\\s*\\(?"
                + "[\"'](?:https?:)?//");
    List<String> found = new ArrayList<>();
    for (Path file : own(".js", ".html", ".css")) {
      forbidden
          .matcher(Files.readString(file))
          .results()
          .forEach(it -> found.add(file.getFileName() + ": " + it.group()));
    }
    assertThat(found).isEmpty();
  }

  /** A strict policy ignores them: a script or style in the document, and handlers as text. */
  @Test
  void documentHasNoInlineScriptsOrStyles() throws Exception {
    String html = Files.readString(SOURCES.resolve(PageDocument.FILE));
    assertThat(html).doesNotContainPattern("<script(?![^>]*\\bsrc=)").doesNotContain("<style");
    assertThat(html).doesNotContainPattern("\\s(?:style|on\\w+)=");
  }
}
