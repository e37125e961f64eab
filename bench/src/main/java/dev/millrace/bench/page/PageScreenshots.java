package dev.millrace.bench.page;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.WaitForSelectorState;
import dev.millrace.bench.chat.ModelServer;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.cli.webpage.BrowserPrograms;
import dev.millrace.cli.webpage.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Makes pictures of the page's views, light and dark, on a desktop and on a phone, of a server that
 * processes sample jobs with the house model. {@code docs/screenshots [DIRECTORY]} starts it.
 */
public final class PageScreenshots {
  private static final int WARM_SECONDS = 100; // of work, so that the charts have something to show
  private static final int CHART_MS = 20_000; // after which the charts have what runs

  private final ModelServer server;
  private final SampleWork work;
  private final Path directory;
  private final Map<String, String> views = new LinkedHashMap<>();

  private PageScreenshots(ModelServer server, SampleWork work, Path directory) {
    this.server = server;
    this.work = work;
    this.directory = directory;
  }

  public static void main(String[] args) throws Exception {
    Path scratch = ScratchDirectories.fresh("screenshots");
    Path workspace = scratch.resolve("ws");
    Path model = Path.of(System.getProperty("millrace.home"), "models", "house", "house.gguf");
    try (SampleNetwork network = SampleNetwork.start(scratch, model);
        ModelServer server =
            ModelServer.start(scratch, workspace, options(scratch, network), Map.of());
        SampleWork work = new SampleWork(server.at("/"));
        Chromium chromium = Chromium.launch(BrowserPrograms.find().orElseThrow())) {
      new PageScreenshots(server, work, Files.createDirectories(Path.of(args[0])))
          .make(chromium.browser());
    } finally {
      ScratchDirectories.clean();
    }
  }

  private static List<String> options(Path directory, SampleNetwork network) {
    List<String> options =
        new ArrayList<>(List.of("--workspace", directory.resolve("ws").toString()));
    options.addAll(List.of("--model", "house", "--exec", SampleWork.fetch(directory)));
    options.addAll(network.options());
    return options;
  }

  private void make(Browser browser) throws IOException, InterruptedException {
    fill();
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      keepBusy();
      pictures(browser, scheme, "", 1280, 800);
      keepBusy();
      pictures(browser, scheme, "phone-", 390, 844);
    }
  }

  /** Jobs in all states that do not change any more. */
  private void fill() throws IOException, InterruptedException {
    warm();
    for (String name : List.of("Story of the week", "Letter to the miller", "A tale for Ingrid")) {
      work.prompt(name, "letters", 80, "");
    }
    String feeds =
        work.feeds("Evening feeds", "north.example/a", "south.example/b", "east.example/c");
    work.feeds("Morning feeds", "north.example", "south.example", "gone.example");
    String stopped = work.prompt("Too long a story", "letters", 900, "\"hold\": true, ");
    work.setStatus(stopped, "ABORTED");
    work.prompt("Translations", "letters", 80, "\"hold\": true, ");
    String book = work.book("Picture book, volume 3", 8);
    await(book);
    views.put("now", "");
    views.put("jobs", "jobs");
    views.put("job", "jobs/" + book);
    views.put("timeline", "jobs/" + feeds + "?view=timeline&task=1.2");
    views.put("events", "jobs/" + feeds + "?view=events");
    views.put("submit", "submit");
    views.put("pipeline", "submit?form=pipeline");
    views.put("chat", "chat");
    views.put("server", "server");
    views.put("states", "states");
  }

  /** More than the model does at once, for longer than the first views take. */
  private void keepBusy() throws IOException, InterruptedException {
    for (String about : List.of("rivers", "boats", "lanterns")) {
      work.batch("Stories about " + about, 40, 900);
    }
    for (int chapter = 1; chapter <= 3; chapter++) {
      String fields = chapter == 1 ? "" : "\"priority\": \"LOW\", ";
      work.prompt("Chapter " + chapter, "chapters", 200, fields);
    }
    work.split("Stories over two machines", SampleNetwork.MODEL, 12);
    Thread.sleep(CHART_MS);
  }

  private void await(String book) throws IOException, InterruptedException {
    while (!work.waits(book)) {
      if (work.status(book).equals("FAILED")) {
        throw new IllegalStateException("the job failed: " + server.at("/v1/jobs/" + book));
      }
      Thread.sleep(200);
    }
  }

  /** Work that comes and goes, for the charts of the last hour. */
  private void warm() throws IOException, InterruptedException {
    long end = System.nanoTime() + WARM_SECONDS * 1_000_000_000L;
    for (int wave = 1; System.nanoTime() < end; wave++) {
      String batch = work.batch("Corpus, part " + wave, 6 + wave * 5 % 14, 120);
      while (!work.status(batch).equals("COMPLETED")) {
        Thread.sleep(200);
      }
      Thread.sleep(1_500);
    }
  }

  private void pictures(Browser browser, ColorScheme scheme, String kind, int width, int height) {
    Browser.NewContextOptions options =
        new Browser.NewContextOptions()
            .setViewportSize(width, height)
            .setColorScheme(scheme)
            .setReducedMotion(ReducedMotion.REDUCE);
    try (BrowserContext context = browser.newContext(options)) {
      views.forEach(
          (name, address) -> {
            Path file =
                directory.resolve(
                    kind + name + "-" + scheme.name().toLowerCase(Locale.ROOT) + ".png");
            try (Page page = context.newPage()) {
              page.navigate(server.at("/#/" + address).toString());
              prepare(page, name);
              boolean whole = name.equals("server"); // the nodes are its end
              page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(whole));
            }
            System.out.println(file);
          });
    }
  }

  private static void prepare(Page page, String view) {
    switch (view) {
      case "submit" ->
          page.locator("#prompt").fill("Write a story with these words: mill, river, stone.");
      case "chat" -> {
        page.locator("#say").fill("Write a short story about a boat.");
        page.keyboard().press("Enter");
        page.locator("article.assistant .about, article.assistant .after .muted")
            .waitFor(new Locator.WaitForOptions().setTimeout(120_000));
      }
      case "jobs" -> {
        page.locator("mr-jobs .rows-row .in-state").first().waitFor();
        page.getByText(Pattern.compile("^[0-9,]+ of [0-9,]+ read$"))
            .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.HIDDEN));
      }
      default -> {
        // as it is
      }
    }
    page.waitForTimeout(2_500); // data comes, and numbers move
  }
}
