package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.millrace.cli.InProcessCli;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A server that goes away and comes back, and keys that may do nothing, something or everything. */
class ConnectionIT extends PageFixture {
  private static final String PROMPT = "Tell of a mill.";

  private final ScriptedWorker model = new ScriptedWorker();

  @Test
  void aServerThatIsAwayIsSaidAndItsReturnIsSeen() {
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    String id = server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs/" + id));
    model.say(PROMPT, "The ");
    assertThat(page.locator("mr-job-task")).containsText("The");
    complaints.expectOutage();
    server.stop();
    Locator lost = page.getByText("The server does not answer.").first();
    assertThat(lost).isVisible();
    server.start();
    assertThat(lost).isHidden();
    model.say(PROMPT, "wheel ", "turns.").end(PROMPT);
    assertThat(page.locator("mr-job header")).containsText("completed");
    page.navigate(server.address(""));
    assertThat(heading("Nothing runs, nothing waits")).isVisible();
  }

  /** These views read nothing while they wait for their user. */
  @Test
  void formsNoticeAnOutageAndWaitForTheModels() {
    PageServer server = serve(PageServer.over(dir.resolve("ws"), model));
    Page chat = context.newPage();
    chat.navigate(server.address("chat"));
    assertThat(chat.getByText("This server has no model to chat with")).isVisible();
    page.navigate(server.address("submit"));
    page.getByLabel("Prompt", exactly()).fill(PROMPT);
    assertThat(page.locator("#prompt-check")).containsText("1 stage, 1 task");
    complaints.expectOutage();
    server.stop();
    assertThat(page.getByText("The server does not answer.").first()).isVisible();
    server.startLoading();
    assertThat(page.getByText("The server does not answer.").first()).isHidden();
    assertThat(page.locator("#model-hint")).hasText("The model is being loaded…");
    chat.bringToFront();
    chat.reload();
    assertThat(chat.locator("mr-chat")).containsText("The model is being loaded…");
    assertThat(chat.getByRole(AriaRole.ALERT)).hasCount(0);
    server.attach();
    assertThat(chat.getByText("This server has no model to chat with")).isVisible();
    page.bringToFront();
    assertThat(page.locator("#model-hint")).isEmpty();
    assertThat(page.locator("#prompt-check")).containsText("1 stage, 1 task");
    assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
  }

  @Test
  void aKeyIsAskedForAndKeptInThisTabOnly() {
    Path keys = dir.resolve("keys");
    String key = key("nightly", "read,submit");
    PageServer server = serve(PageServer.withKeys(dir.resolve("ws"), keys, model));
    server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs"));
    Locator field = keyField();
    field.fill("mrk_wrong");
    page.keyboard().press("Enter");
    assertThat(dialog()).containsText("The key was refused");
    field.fill(key);
    page.keyboard().press("Enter");
    assertThat(page.locator("mr-rows .rows-row")).hasCount(1);
    assertThat(button("Key: nightly")).isVisible();
    page.reload();
    assertThat(page.locator("mr-rows .rows-row")).hasCount(1);
    assertThat(button("Select all")).isVisible();
    assertThat(page).not().hasURL(Pattern.compile(Pattern.quote(key)));
    Page other = context.newPage();
    other.navigate(server.address("jobs"));
    assertThat(other.locator("dialog[open]")).containsText("This server asks for a key");
  }

  @Test
  void aKeyThatMayOnlyReadSeesNoButtonsThatAct() {
    String key = key("reader", "read");
    PageServer server = serve(PageServer.withKeys(dir.resolve("ws"), dir.resolve("keys"), model));
    String id = server.submit(SampleStages.job("tale", PROMPT));
    page.navigate(server.address("jobs/" + id));
    keyField().fill(key);
    page.keyboard().press("Enter");
    assertThat(page.locator("mr-job h1")).hasText("tale");
    assertThat(page.locator("mr-job header button")).hasCount(0);
    page.navigate(server.address("jobs"));
    assertThat(page.locator("mr-rows .rows-row")).hasCount(1);
    assertThat(page.locator("mr-jobs .status-line button, mr-jobs input[type=checkbox]"))
        .hasCount(0);
    page.navigate(server.address("submit"));
    assertThat(heading("This key may not submit")).isVisible();
    page.navigate(server.address("chat"));
    assertThat(heading("This key may not ask a model")).isVisible();
  }

  @Test
  void aKeyThatIsTakenAwayEndsWithAQuestionForAnother() {
    String key = key("nightly", "read,submit");
    PageServer server = serve(PageServer.withKeys(dir.resolve("ws"), dir.resolve("keys"), model));
    page.navigate(server.address("jobs"));
    keyField().fill(key);
    page.keyboard().press("Enter");
    assertThat(heading("No jobs yet")).isVisible();
    assertThat(page.locator("mr-jobs .empty")).containsText("MILLRACE_API_KEY");
    key("other", "read");
    new InProcessCli(dir).run("apikey", "nightly", "--file", "keys", "--remove");
    page.navigate(server.address("submit"));
    assertThat(dialog()).containsText("This server asks for a key");
    assertThat(dialog()).containsText("The key \"nightly\" is not valid any more.");
  }

  private Locator keyField() {
    return dialog().getByLabel("Key", new Locator.GetByLabelOptions().setExact(true));
  }

  private String key(String name, String scopes) {
    return new InProcessCli(dir).run("apikey", name, "--file", "keys", "--scope", scopes).line();
  }
}
