package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import java.time.Clock;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A list of 100,000 jobs is filtered and scrolled while only what is in sight is in the page. */
class ManyJobsIT extends PageFixture {
  private static final int JOBS = 100_000;
  private static final int FAILED = 500;

  /** The store in memory does a full search for every answer; this reads what is there at once. */
  private static final LocatorAssertions.ContainsTextOptions LONG =
      new LocatorAssertions.ContainsTextOptions().setTimeout(120_000);

  private JobStore fill() {
    JobStore store = new MemoryStoreFixture().open(ContractSettings.of(Clock.systemUTC()));
    for (int i = 0; i < FAILED; i++) {
      store.submit(SampleStages.job("bad " + i, "grind " + i, "night"));
    }
    for (Claim claim : store.claim(new ClaimRequest(Set.of("generate"), FAILED, "test", null))) {
      store.fail(claim, Failure.permanent("the stone broke"));
    }
    JobSpec held = JobSpec.builder().held(true).stages(SampleStages.one("wait")).build();
    for (int i = FAILED; i < JOBS; i++) {
      store.submit(held);
    }
    return store;
  }

  @Test
  void filteredAndScrolled() {
    PageServer server = serve(new PageServer(this::fill, null));
    page.navigate(server.address("jobs"));
    Locator status = page.locator("mr-jobs .status-line");
    assertThat(status).containsText("100,000 jobs", LONG);
    Locator rows = page.locator("mr-rows");
    assertThat(rows).hasAttribute("aria-rowcount", Integer.toString(JOBS + 1));

    rows.focus();
    page.keyboard().press("End");
    assertThat(page.locator("mr-rows .is-active")).containsText("bad 0");
    for (int place = 0; place < 20; place++) {
      rows.evaluate("(list, share) => list.scrollTop = list.scrollHeight * share", place / 20.0);
    }
    assertThat(page.locator("mr-rows .rows-row").count()).isLessThan(60);

    // A job and back: the list is where it was.
    rows.evaluate("list => list.scrollTop = 5000 * 48");
    page.locator("mr-rows .rows-row[data-index='5005'] a.title").click();
    assertThat(page.locator("mr-job h1")).hasCount(1);
    page.goBack();
    assertThat(page.locator("mr-rows .rows-row[data-index='5005'] a.title")).isVisible();
    assertThat(page.locator("mr-rows")).hasJSProperty("scrollTop", 5000 * 48);

    button(page.getByRole(AriaRole.GROUP), "failed").click();
    assertThat(status).containsText("500 jobs match");
    page.getByRole(AriaRole.SEARCHBOX).fill("grind 49");
    assertThat(status).containsText("11 jobs match");
    assertThat(page.locator("mr-rows .rows-row")).hasCount(11);
    assertThat(page).hasURL(Pattern.compile("text=grind\\+49"));
    button("Select all").click();
    button("Retry").click();
    assertThat(dialog()).containsText("11 jobs will be retried");
    page.keyboard().press("Escape");
    assertThat(dialog()).hasCount(0);
  }
}
