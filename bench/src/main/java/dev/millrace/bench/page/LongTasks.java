package dev.millrace.bench.page;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/** How long the page is busy at once while somebody uses the list of jobs. */
public final class LongTasks {
  private static final int WAIT_MS = 300_000;

  /** The browser reports tasks of 50 ms and more. */
  private static final String OBSERVE =
      """
      window.longTasks = [];
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((it) => it.duration)))
        .observe({ type: "longtask", buffered: true });
      """;

  private final Page page;

  private LongTasks(Page page) {
    this.page = page;
  }

  /** Opens the list, scrolls through it, filters it, and prints the tasks of each part. */
  public static void print(Browser browser, URI list, int jobs) {
    try (BrowserContext context = browser.newContext()) {
      context.setDefaultTimeout(WAIT_MS);
      context.addInitScript(OBSERVE);
      LongTasks tasks = new LongTasks(context.newPage());
      tasks.page.navigate(list.toString());
      Locator rows = tasks.page.locator("mr-rows[aria-rowcount=\"" + (jobs + 1) + "\"]");
      rows.waitFor();
      tasks.settle();
      tasks.report("opening " + jobs + " jobs");
      tasks.scroll(rows);
      tasks.report("scrolling");
      tasks.filter();
      tasks.report("filtering");
    }
  }

  private void scroll(Locator rows) {
    rows.hover();
    for (int i = 0; i < 100; i++) {
      page.mouse().wheel(0, 500);
    }
    for (int i = 0; i < 50; i++) {
      rows.evaluate("(list, share) => list.scrollTop = list.scrollHeight * share", i / 50.0);
    }
    settle();
  }

  private void filter() {
    Locator search = page.getByRole(AriaRole.SEARCHBOX);
    search.pressSequentially("job 77", new Locator.PressSequentiallyOptions().setDelay(80));
    settle();
    search.fill("");
    page.getByLabel("Tag", new Page.GetByLabelOptions().setExact(true)).fill("rare");
    settle();
  }

  private void settle() {
    page.waitForTimeout(2_000);
  }

  private void report(String part) {
    List<?> all = (List<?>) page.evaluate("window.longTasks.splice(0)");
    double longest = all.stream().mapToDouble(it -> ((Number) it).doubleValue()).max().orElse(0);
    System.out.printf(
        Locale.ROOT,
        "%-26s %3d tasks of 50 ms or more, the longest %.0f ms%n",
        part,
        all.size(),
        longest);
  }
}
