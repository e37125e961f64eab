package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every view, light and dark, desktop and phone, before the rules of axe-core, without a serious or critical finding.
 * Where {@code MILLRACE_AXE} does not name the file axe.min.js, this is skipped; .ci/run has it.
 */
class AccessibilityIT extends PageFixture {
  private static final String AXE = "MILLRACE_AXE";

  private static final String FINDINGS =
      """
      async () => {
        const { violations } = await axe.run(document, { resultTypes: ["violations"] });
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, help, nodes }) => `${id}: ${help}\\n` + nodes.map((node) =>
            `  ${node.html.slice(0, 200)}\\n    ${node.failureSummary.replaceAll("\\n", " ")}`).join("\\n"));
      }
      """;

  /** A model over two nodes, of which one is loading, one has failed, and layers are missing. */
  private static final String NODES =
      """
      {"name": "here", "version": "1", "state": "RUNNING", "startTime": "2026-01-01T00:00:00Z", "slots": 8,
       "store": {"kind": "workspace", "shared": false}, "types": ["generate"],
       "models": [{"name": "house", "default": true, "loaded": true, "generates": true, "embeds": false,
         "architecture": "llama", "quantization": "Q8_0", "context": 512, "layers": 7, "bytes": 1000000,
         "sha256": "abcdef0123456789", "remote": {"ready": false, "waitReason": "layers 4-6 are missing"}}],
       "nodes": [
         {"name": "a", "address": "127.0.0.1:5100", "memoryBytes": 1000, "usedBytes": 400, "cacheBytes": 9,
          "sessions": 1, "passages": 2, "protocol": 1, "numerics": 1, "originOf": [],
          "holdings": [{"model": "house", "sha256": "abcdef", "first": 1, "last": 3, "layers": 7,
            "state": "loaded", "bytes": 300, "bytesPerSecond": 12}]},
         {"name": "b", "address": "127.0.0.1:5102", "memoryBytes": 0, "usedBytes": 0, "cacheBytes": 0,
          "sessions": 0, "passages": 0, "protocol": 1, "numerics": 1, "originOf": [],
          "holdings": [{"model": "house", "sha256": "abcdef", "first": 4, "last": 6, "layers": 7,
            "state": "failed", "bytes": 300, "bytesPerSecond": 0, "problem": "no such file"}]}],
       "pipes": [{"model": "house", "sha256": "abcdef", "origin": "here", "layers": 7, "number": 0,
         "waitReason": "layers 4-6 are missing", "running": 0, "tokensPerSecond": 0,
         "stretches": [{"node": "here", "first": 0, "last": 0}, {"node": "a", "first": 1, "last": 3}],
         "missing": [{"first": 4, "last": 6}]}],
       "audits": {"rate": 0.1, "passed": 3, "failed": 1, "expelled": ["c"]}}
      """;

  private final ScriptedWorker model = new ScriptedWorker();
  private PageServer server;

  @BeforeEach
  void open() throws IOException {
    String file = System.getenv().getOrDefault(AXE, "");
    String missing = AXE + " names no axe.min.js: npm install axe-core, as .ci/run does";
    if (BrowserPrograms.isRequired()) {
      assertThat(file).as(missing).isNotEmpty();
    }
    Assumptions.assumeFalse(file.isEmpty(), missing);
    // The driver runs this in the page by the debugger: the content security policy holds for the
    // page alone.
    context.addInitScript(Files.readString(Path.of(file)));
    server = serve(PageServer.over(dir.resolve("ws"), model));
  }

  /** A job in every state, one at a gate, one that runs. */
  private String fill() {
    model.say("done", "text").end("done").fail("bad", "no luck").say("runs", "so far");
    server.submit(SampleStages.job("done", "done", "night"));
    server.submit(SampleStages.job("bad", "bad", "night"));
    server.submit(
        JobSpec.builder()
            .name("held")
            .held(true)
            .stages(SampleStages.gated("runs", "{{result}}"))
            .build());
    server.submit(
        JobSpec.builder().name("waits").stages(SampleStages.of("resize", "a", "b")).build());
    return server.submit(
        JobSpec.builder().name("gated").stages(SampleStages.gated("runs", "{{result}}")).build());
  }

  private void check(String view, String shown) {
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
      page.navigate(server.address(view));
      page.reload(); // a new address of the same page keeps the document, and what was in it
      assertThat(page.getByText(shown).first()).isVisible();
      assertThat((List<?>) page.evaluate(FINDINGS)).as(view + " " + scheme).isEmpty();
    }
  }

  @Test
  void theViewsOfAnEmptyServer() {
    check("", "Nothing runs, nothing waits");
    check("jobs", "No jobs yet");
    check("chat", "This server has no model to chat with");
    check("server", "Models");
    check("jobs/00000000-0000-4000-8000-000000000000", "This job is not here any more");
  }

  @Test
  void theViewsOfAServerWithWork() {
    String gated = fill();
    check("", "so far");
    check("jobs", "gated");
    check("jobs/" + gated + "?task=1.1", "so far");
    check("jobs/" + gated + "?view=timeline", "gated");
    check("jobs/" + gated + "?view=events", "submitted");
    check("submit", "The same from a terminal");
    check("submit?form=pipeline", "Begin with an example");
    check("states", "State machines");
  }

  @Test
  void theViewsOnAPhone() {
    String gated = fill();
    page.setViewportSize(390, 844);
    check("", "so far");
    check("jobs", "gated");
    check("jobs/" + gated + "?view=timeline&task=1.1", "gated");
    check("submit", "The same from a terminal");
    check("states", "State machines");
    page.navigate(server.address("jobs"));
    button("Filters").click();
    assertThat(page.getByLabel("Tag", exactly())).isVisible();
    assertThat((List<?>) page.evaluate(FINDINGS)).isEmpty();
  }

  @Test
  void modelsWithNodes() {
    page.route(
        "**/v1/server",
        route ->
            route.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(NODES)));
    check("server", "layers 4-6 are missing");
    page.setViewportSize(390, 844);
    check("server", "layers 4-6 are missing");
    requireNoSidewaysScroll();
  }

  @Test
  void theKeyDialog() {
    new InProcessCli(dir).run("apikey", "nightly", "--file", "keys", "--scope", "read");
    PageServer keyed = serve(PageServer.withKeys(dir.resolve("keyed"), dir.resolve("keys")));
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
      page.navigate(keyed.address("jobs"));
      page.reload();
      dialog().getByLabel("Key", new Locator.GetByLabelOptions().setExact(true)).fill("wrong");
      page.keyboard().press("Enter");
      assertThat(dialog()).containsText("The key was refused");
      assertThat((List<?>) page.evaluate(FINDINGS)).as(scheme.toString()).isEmpty();
    }
  }

  @Test
  void dialogs() {
    String gated = fill();
    page.navigate(server.address("jobs/" + gated));
    button("Abort").click();
    assertThat(dialog()).isVisible();
    assertThat((List<?>) page.evaluate(FINDINGS)).isEmpty();
    page.keyboard().press("Escape");
    page.navigate(server.address("jobs"));
    button("Select all").click();
    button("Abort").click();
    assertThat(dialog()).containsText("will be aborted");
    assertThat((List<?>) page.evaluate(FINDINGS)).isEmpty();
  }
}
