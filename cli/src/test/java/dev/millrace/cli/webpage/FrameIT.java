package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
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
  void whatIsNotThereIsSaid() {
    page.navigate(server.address("nothing"));
    assertThat(page.getByText("There is no view \"nothing\".")).isVisible();
    link("States").click();
    assertThat(heading("State machines")).isVisible();
    assertThat(page.getByText("There is no view")).hasCount(0);
  }
}
