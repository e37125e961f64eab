package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What all views have around them, and how they lead to each other. */
class FrameIT extends PageFixture {
  private final ScriptedWorker model = new ScriptedWorker();
  private PageServer server;

  @BeforeEach
  void open() {
    server = serve(PageServer.over(dir.resolve("ws"), model));
  }

  @Test
  void theThemeFollowsTheSystemUntilOneIsChosenWhichIsRemembered() {
    Locator root = page.locator("html");
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    page.navigate(server.address(""));
    assertThat(page.locator("body")).hasCSS("background-color", "rgb(13, 19, 21)");
    button("Theme: As the system").click();
    assertThat(root).hasAttribute("data-theme", "light");
    assertThat(page.locator("body")).hasCSS("background-color", "rgb(245, 247, 247)");
    page.reload();
    assertThat(button("Theme: Light")).isVisible();
    assertThat(root).hasAttribute("data-theme", "light");
  }

  @Test
  void aStateOfTheDrawingLeadsToTheJobsInIt() {
    model.fail("grind", "no luck");
    server.submit(SampleStages.job("tale", "grind"));
    page.navigate(server.address("states"));
    Locator failed = page.locator("#machine-job").locator("xpath=ancestor::section");
    failed.locator("a", new Locator.LocatorOptions().setHasText("failed")).click();
    assertThat(page).hasURL(Pattern.compile("#/jobs\\?status=FAILED$"));
    assertThat(page.locator("mr-rows .rows-row", within("no luck"))).hasCount(1);
    link("Millrace: now").click();
    link("Jobs").click();
    assertThat(page).hasURL(Pattern.compile("#/jobs\\?status=FAILED$"));
  }

  @Test
  void aServerWithoutNodesSaysHowToStartThem() {
    page.navigate(server.address("server"));
    assertThat(page.getByText("--layers house:4-6"))
        .containsText("millrace serve --workspace ws --end-model house --join 127.0.0.1:5100");
    page.route("**/v1/server", route -> route.fulfill(withAudits(route.fetch())));
    page.reload();
    assertThat(page.getByText("No node yet")).isVisible();
    assertThat(page.getByText("The model waits for nodes")).isVisible();
    assertThat(page.getByText("millrace keygen")).hasCount(0);
  }

  /** As a server answers that has the end of a model and no node. */
  private static Route.FulfillOptions withAudits(APIResponse answer) {
    JsonObject audits = JsonObject.create().put("rate", 0).put("passed", 0).put("failed", 0);
    JsonObject body = Json.object(answer.text()).put("audits", audits.put("expelled", List.of()));
    return new Route.FulfillOptions().setContentType("application/json").setBody(Json.write(body));
  }

  @Test
  void whatIsNotThereIsSaid() {
    page.navigate(server.address("nothing"));
    assertThat(page.getByText("There is no view \"nothing\".")).isVisible();
    page.locator("main").getByText("Now", new Locator.GetByTextOptions().setExact(true)).click();
    assertThat(heading("Nothing runs, nothing waits")).isVisible();
    assertThat(page.getByText("There is no view")).hasCount(0);
    link("States").click();
    assertThat(page.locator("mr-states section", within("one worker takes")))
        .containsText("not every one of them has");
  }
}
