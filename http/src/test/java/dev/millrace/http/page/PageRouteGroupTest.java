package dev.millrace.http.page;

import static dev.millrace.http.page.PageTestServer.BROWSER;
import static dev.millrace.http.page.PageTestServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Browsers get the page and its files, with a strict policy; programs get what they always got. */
class PageRouteGroupTest {
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

  private final PageTestServer server = new PageTestServer();

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void browserGetsThePage() throws Exception {
    HttpResponse<byte[]> page = server.get("/", "Accept", BROWSER);
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(page.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
    assertThat(String.join(",", page.headers().allValues("Vary"))).contains("Accept");
    assertThat(text(page)).startsWith("<!doctype html>").doesNotContain(PageDocument.MARKER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*/*", "application/json", "text/html;q=0", "application/json,text/html;q=0.5"})
  void programIsLedToTheDescription(String accept) throws Exception {
    HttpResponse<byte[]> found = server.get("/", "Accept", accept);
    assertThat(found.statusCode()).isEqualTo(302);
    assertThat(found.headers().firstValue("Location")).hasValue("/docs/api");
    assertThat(found.headers().firstValue("Vary")).hasValue("Accept");
    assertThat(server.get("/").statusCode()).as("no Accept").isEqualTo(302);
  }

  @Test
  void policyAllowsTheImportMapByItsHash() throws Exception {
    HttpResponse<byte[]> page = server.get("/", "Accept", BROWSER);
    Matcher map = IMPORT_MAP.matcher(text(page));
    assertThat(map.find()).isTrue();
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(map.group(1).getBytes(StandardCharsets.UTF_8));
    assertThat(page.headers().firstValue("Content-Security-Policy"))
        .hasValue(
            "default-src 'none'; script-src 'self' 'sha256-"
                + Base64.getEncoder().encodeToString(hash)
                + "'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none';"
                + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
                + " trusted-types lit-html");
    assertThat(map.find()).as("one import map").isFalse();
  }

  @Test
  void importMapHasTheVersionsOfTheClassPath() throws Exception {
    Matcher map = IMPORT_MAP.matcher(server.page());
    assertThat(map.find()).isTrue();
    JsonObject imports = Json.object(map.group(1)).object("imports");
    for (LibraryModules library : LibraryModules.find()) {
      String at = "./page/lib/" + library.webJar() + "/" + library.version() + "/";
      assertThat(imports.string(library.name())).isEqualTo(at + library.main());
      assertThat(imports.string(library.name() + "/")).isEqualTo(at);
      assertThat(library.version()).matches("\\d+\\.\\d+\\.\\d+");
    }
    assertThat(imports.values()).hasSize(8);
  }

  @ParameterizedTest
  @CsvSource({
    "/page/app.js, text/javascript; charset=utf-8",
    "/page/style.css, text/css; charset=utf-8"
  })
  void filesHaveTheirMediaType(String path, String type) throws Exception {
    HttpResponse<byte[]> file = server.get(path);
    assertThat(file.statusCode()).isEqualTo(200);
    assertThat(file.headers().firstValue("Content-Type")).hasValue(type);
    assertThat(file.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
  }

  @Test
  void clientThatHasAFileDoesNotGetItAgain() throws Exception {
    String path = "/page/lib/lit-html/" + LibraryModules.find().get(1).version() + "/lit-html.js";
    HttpResponse<byte[]> whole = server.get(path);
    String tag = whole.headers().firstValue("ETag").orElseThrow();
    assertThat(server.get(path, "If-None-Match", tag).statusCode()).isEqualTo(304);
    HttpResponse<byte[]> packed = server.get(path, "Accept-Encoding", "gzip");
    assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
    assertThat(packed.body().length).isLessThan(whole.body().length / 2);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
      assertThat(in.readAllBytes()).isEqualTo(whole.body());
    }
    assertThat(server.get("/", "Accept", BROWSER, "If-None-Match", "*").statusCode())
        .isEqualTo(304);
  }

  /** There is no such file, or it is none of the page's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/page/nothing.js",
        "/page/",
        "/page/index.html",
        "/page/lib",
        "/page/lib/lit/",
        "/page/PageFiles.class",
        "/page/../page/app.js",
        "/page/%2e%2e/openapi/openapi.json",
        "/page/..%2fopenapi%2fopenapi.json",
        "/page/%2fetc%2fpasswd",
        "/page/lib/..%2f..%2f..%2fMETA-INF%2fMANIFEST.MF",
        "/page/lib/lit/3.3.2/package.json",
        "/page/lib/lit-html/3.3.2/development/lit-html.js",
        "/page/lib/lit-html/3.3.2/node/lit-html.js",
        "/page/app.js%00",
        "/page/app.js%2f",
        "/page//app.js",
        "/page/APP.JS"
      })
  void nothingElseIsServed(String path) throws Exception {
    HttpResponse<byte[]> refused = server.get(URI.create(server.service.uri() + path));
    assertThat(refused.statusCode()).as(path).isEqualTo(404);
    assertThat(Json.object(text(refused)).string("code")).isEqualTo("NOT_FOUND");
  }
}
