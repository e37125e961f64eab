package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.millrace.core.job.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every view, light and dark, before the rules of axe-core, without a serious or critical finding.
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
