package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people do to a job: approve, pause, abort, retry, delete; with the reason in its log. */
class LeversIT extends PageFixture {
  private static final String PROMPT = "Draft a letter.";

  private final ScriptedWorker model = new ScriptedWorker();
  private PageServer server;

  @BeforeEach
  void open() {
    server = serve(PageServer.over(dir.resolve("ws"), model));
  }

  private Locator header() {
    return page.locator("mr-job header");
  }

  private void confirm(String comment, String button) {
    dialog().getByLabel("Comment (optional, kept in the log)").fill(comment);
    button(dialog(), button).click();
    assertThat(dialog()).hasCount(0);
  }

  private void requireInLog(String comment) {
    link("Events").first().click();
    page.locator("mr-job-events .rows-row", within(comment)).first().click();
    assertThat(page.locator("mr-job-events pre.entry")).containsText(comment);
  }

  @Test
  void aGateIsApprovedWithAComment() {
    model.say(PROMPT, "Dear miller").end(PROMPT);
    String id =
        server.submit(
            JobSpec.builder()
                .name("letters")
                .stages(SampleStages.gated(PROMPT, "Polish: {{result}}"))
                .build());
    page.navigate(server.address(""));
    assertThat(page.locator("section", within("Wait for approval"))).containsText("letters");
    page.setViewportSize(390, 844); // in one column, it comes before all that runs
    assertThat(page.locator("mr-now .columns section").first()).containsText("Wait for approval");
    page.setViewportSize(1280, 800);
    assertThat(page.locator("mr-now .columns section").first()).containsText("Running");
    link("Review letters").click();
    assertThat(header()).containsText("stage 2 waits for approval");
    button("Approve").click();
    confirm("checked by Anna", "Approve");
    model.say("Polish: Dear miller", "Dear Sir").end("Polish: Dear miller");
    assertThat(header()).containsText("completed");
    requireInLog("checked by Anna");
    assertThat(server.state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void aRunningJobIsPausedResumedAbortedAndRetried() {
    String id = server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs/" + id));
    model.say(PROMPT, "Dear");
    assertThat(page.locator("mr-job-task")).containsText("Dear");
    button("Priority").click();
    dialog().getByLabel("Priority").selectOption("HIGH");
    confirm("for the board", "Set");
    assertThat(header()).containsText("high");
    requireInLog("for the board");
    button("Pause").click();
    confirm("lunch", "Pause");
    assertThat(header()).containsText("paused");
    assertThat(button("Pause")).hasCount(0);
    button("Resume").click();
    confirm("", "Resume");
    assertThat(header()).containsText("in progress");
    button("Abort").click();
    confirm("not needed", "Abort");
    assertThat(header()).containsText("aborted");
    assertThat(button("Abort")).hasCount(0);
    requireInLog("not needed");
    button("Retry").click();
    confirm("needed after all", "Retry");
    assertThat(page).not().hasURL(Pattern.compile(Pattern.quote(id)));
    assertThat(header()).containsText("Retry of");
    assertThat(header()).containsText("in progress");
  }

  @Test
  void escapeLeavesADialogWithoutDoingAnything() {
    String id = server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs/" + id));
    button("Abort").click();
    assertThat(dialog()).isVisible();
    page.keyboard().press("Escape");
    assertThat(dialog()).hasCount(0);
    assertThat(button("Abort")).isFocused();
    assertThat(server.state(id)).isEqualTo(JobState.IN_PROGRESS);
  }

  @Test
  void aDeletedJobIsGoneAndItsAddressSaysSo() {
    model.say(PROMPT, "Dear").end(PROMPT);
    String id = server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs/" + id));
    assertThat(header()).containsText("completed");
    button("Delete").click();
    dialog().getByLabel("Comment (optional, kept in the server's log)").fill("a duplicate");
    page.keyboard().press("Enter");
    assertThat(page).hasURL(Pattern.compile("#/jobs$"));
    assertThat(heading("No jobs yet")).isVisible();
    page.navigate(server.address("jobs/" + id));
    assertThat(heading("This job is not here any more")).isVisible();
    button("All jobs").click();
    assertThat(heading("No jobs yet")).isVisible();
  }
}
