package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.millrace.core.job.JobSpec;
import org.junit.jupiter.api.Test;

/** Prompts: submitted, followed token by token, and shown as what they are. */
class PromptIT extends PageFixture {
  private static final String PROMPT = "Tell of a mill.";

  private final ScriptedWorker model = new ScriptedWorker();

  private Locator output() {
    return page.getByLabel("Output", exactly());
  }

  private Locator prompt() {
    return page.getByLabel("Prompt", exactly());
  }

  @Test
  void aPromptIsSubmittedAndItsTokensAreFollowed() {
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    page.navigate(server.address("submit"));
    prompt().fill(PROMPT);
    assertThat(page.locator("#prompt-check")).containsText("1 stage, 1 task");
    assertThat(page.getByLabel("millrace command", exactly()))
        .hasText("millrace work " + server.address("").replace("/#/", "") + " 'Tell of a mill.'");
    button("Submit the prompt").click();
    assertThat(heading("Output, as it comes")).isVisible();
    model.say(PROMPT, "The ", "wheel ");
    assertThat(output()).hasText("The wheel");
    model.say(PROMPT, "turns.");
    assertThat(output()).hasText("The wheel turns.");
    model.end(PROMPT);
    assertThat(page.locator("mr-job header")).containsText("completed");
    assertThat(output()).hasText("The wheel turns.");
  }

  @Test
  void theFirstViewShowsWhatRunsAndWhatWaits() {
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    page.navigate(server.address(""));
    assertThat(heading("Nothing runs, nothing waits")).isVisible();
    server.submit(JobSpec.builder().name("tale").stages(SampleStages.one(PROMPT)).build());
    server.submit(JobSpec.builder().name("other").stages(SampleStages.of("resize", "x")).build());
    model.say(PROMPT, "The ", "wheel ");
    assertThat(page.locator("article.run", within("tale"))).containsText("The wheel");
    assertThat(page.locator("section", within("Waiting"))).containsText("other");
    model.end(PROMPT);
    assertThat(heading("Running")).isVisible();
    assertThat(page.locator("article.run")).hasCount(0);
    link("other").click();
    assertThat(page.locator("mr-job h1")).hasText("other");
  }

  @Test
  void wrongFieldsAndDocumentsAreRefusedWhileTheyAreWritten() {
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    page.navigate(server.address("submit"));
    Locator submit = button("Submit the prompt");
    assertThat(submit).isDisabled();
    prompt().fill(PROMPT);
    assertThat(submit).isEnabled();
    page.getByLabel("Temperature").fill("warm");
    assertThat(page.locator("#parameter-temperature-error")).hasText("a number");
    assertThat(submit).isDisabled();
    // What the form refuses is no command either.
    assertThat(page.getByLabel("millrace command", exactly())).hasCount(0);
    page.getByLabel("Temperature").fill("0.5");
    page.getByLabel("Tags, by commas").fill("good, not so good");
    assertThat(page.locator("#tags-error")).containsText("\"not so good\" is no tag");
    assertThat(submit).isDisabled();
    page.getByLabel("Tags, by commas").fill("good");
    page.getByLabel("Name of the job").fill("-n");
    assertThat(page.getByLabel("millrace command", exactly()))
        .containsText(" --temp 0.5 --name=-n --tag good");
    page.getByLabel("JSON schema of the answer").fill("{\"type\": \"strin\"}");
    assertThat(page.locator("#prompt-check")).containsText("strin");
    page.navigate(server.address("submit?form=pipeline"));
    page.locator("#document").fill("{\"stages\": []}");
    assertThat(page.locator("#pipeline-check .is-failed").last()).containsText("stage");
  }

  /** Everything that a careless page would run, lose, or let break its layout. */
  @Test
  void hostileTextIsOnlyText() {
    String hostile =
        "<script>alert(1)</script><img src=x onerror=alert(2)><svg"
            + " onload=alert(3)>javascript:alert(4) ${alert(5)} {{7*7}} \u202Eevil\u202C"
            + " \u001B[31mred\u001B[0m \u0007 </pre></textarea>\"'`";
    String wide = "W".repeat(5_000);
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    String id =
        server.submit(
            JobSpec.builder()
                .name("<b onclick=alert(6)>name</b>" + "n".repeat(150))
                .stages(SampleStages.one(hostile + wide))
                .build());
    model.say(hostile + wide, "<img src=y onerror=alert(7)>", "\u001B[2J", wide);
    for (String view : new String[] {"", "jobs", "jobs/" + id, "jobs/" + id + "?view=timeline"}) {
      page.navigate(server.address(view));
      assertThat(page.getByText("<b onclick=alert(6)>name</b>").first()).isVisible();
      requireNoSidewaysScroll();
    }
    assertThat(output()).containsText("<img src=y onerror=alert(7)>");
    model.fail(hostile + wide, "<iframe srcdoc='<script>alert(8)</script>'>");
    assertThat(page.getByText("<iframe srcdoc=").first()).isVisible();
    assertThat(page.getByLabel("Input", exactly()))
        .containsText("<script>alert(1)</script><img src=x onerror=alert(2)>");
    page.navigate(server.address("jobs/" + id + "?view=events"));
    assertThat(page.getByText("<iframe srcdoc=").first()).isVisible();
    assertThat(page.locator("mr-app script, mr-app img, mr-app iframe")).hasCount(0);
    requireNoSidewaysScroll();
  }
}
