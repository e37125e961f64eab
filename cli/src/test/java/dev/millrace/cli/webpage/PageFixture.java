package dev.millrace.cli.webpage;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ReducedMotion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A tab of its own for each test, and servers that end with it. After each test, nothing is wrong. */
@ExtendWith(ChromiumExtension.class)
@ResourceLock("chromium")
abstract class PageFixture {
  /** Long: other tests keep the cores busy. */
  private static final int PATIENCE_MS = 30_000;

  @TempDir Path dir;

  BrowserContext context;
  Page page;
  PageComplaints complaints;
  private final List<PageServer> servers = new ArrayList<>();

  @BeforeAll
  static void setPatience() {
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
  }

  @BeforeEach
  void openTab(Browser browser) {
    context = browser.newContext(contextOptions());
    context.setDefaultTimeout(PATIENCE_MS);
    complaints = new PageComplaints(context);
    page = context.newPage();
  }

  Browser.NewContextOptions contextOptions() {
    return new Browser.NewContextOptions()
        .setViewportSize(1280, 800)
        .setReducedMotion(ReducedMotion.REDUCE);
  }

  @AfterEach
  void closeTab() {
    try {
      context.close();
    } finally {
      servers.forEach(PageServer::close);
    }
    assertThat(complaints.found()).isEmpty();
  }

  /** Starts a server that ends with the test. */
  PageServer serve(PageServer server) {
    servers.add(server);
    server.start();
    return server;
  }

  void keepPicture(Path file) {
    page.screenshot(new Page.ScreenshotOptions().setPath(file));
  }

  Locator button(String name) {
    return button(page.locator("body"), name);
  }

  static Locator button(Locator within, String name) {
    return within.getByRole(
        AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
  }

  Locator heading(String name) {
    return page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName(name));
  }

  Locator link(String name) {
    return page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(name));
  }

  /** The dialog that is open. */
  Locator dialog() {
    return page.locator("dialog[open]");
  }

  /** The views scroll inside of their parts; the page itself never moves sideways. */
  void requireNoSidewaysScroll() {
    assertThat(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
        .as("pixels that the page is too wide at " + page.url())
        .isEqualTo(0);
  }

  static Page.GetByLabelOptions exactly() {
    return new Page.GetByLabelOptions().setExact(true);
  }

  static Page.LocatorOptions within(String text) {
    return new Page.LocatorOptions().setHasText(text);
  }
}
