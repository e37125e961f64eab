package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The list of jobs: filters in the address, the keyboard, and actions on many jobs. */
class JobListIT extends PageFixture {
  private final ScriptedWorker model = new ScriptedWorker();
  private PageServer server;

  @BeforeEach
  void open() {
    server = serve(PageServer.over(dir.resolve("ws"), model));
  }

  private Locator rows() {
    return page.locator("mr-rows .rows-row", withoutText("being read"));
  }

  private static Page.LocatorOptions withoutText(String text) {
    return new Page.LocatorOptions().setHasNotText(text);
  }

  private String failed(String name) {
    model.fail(name, "no luck with " + name);
    return server.submit(SampleStages.job(name, name, "bad"));
  }

  private String held(String name) {
    return server.submit(
        JobSpec.builder().name(name).held(true).stages(SampleStages.one(name)).build());
  }

  @Test
  void filtersAreInTheAddressAndTheAddressBringsThemBack() {
    failed("one");
    held("two");
    page.navigate(server.address("jobs"));
    assertThat(rows()).hasCount(2);
    button(page.getByRole(AriaRole.GROUP), "failed").click();
    assertThat(rows()).hasCount(1);
    assertThat(rows()).containsText("no luck with one");
    page.getByLabel("Tag", exactly()).fill("bad");
    assertThat(page)
        .hasURL(Pattern.compile("#/jobs\\?(status=FAILED&tag=bad|tag=bad&status=FAILED)$"));
    Page shared = context.newPage();
    shared.navigate(page.url());
    assertThat(shared.locator("mr-rows .rows-row")).hasCount(1);
    assertThat(shared.getByLabel("Tag", exactly())).hasValue("bad");
    page.getByLabel("Tag", exactly()).fill("good");
    assertThat(heading("No job matches")).isVisible();
    button("Clear filters").first().click();
    assertThat(rows()).hasCount(2);
    page.getByRole(AriaRole.SEARCHBOX).fill("TWO");
    assertThat(rows()).hasCount(1);
    assertThat(rows()).containsText("two");
  }

  @Test
  void theKeyboardReachesAndOpensEveryJob() {
    held("one");
    held("two");
    String third = held("three");
    page.navigate(server.address("jobs"));
    assertThat(rows()).hasCount(3);
    page.keyboard().press("Tab");
    assertThat(link("Skip to the content")).isFocused();
    page.keyboard().press("Enter");
    for (int tab = 0; tab < 40 && page.locator("mr-rows:focus").count() == 0; tab++) {
      page.keyboard().press("Tab");
    }
    Locator list = page.locator("mr-rows:focus");
    page.keyboard().press("End");
    page.keyboard().press("ArrowUp");
    assertThat(page.locator("mr-rows .is-active")).containsText("two");
    page.keyboard().press("Space");
    assertThat(page.getByText("1 of 3 selected")).isVisible();
    page.keyboard().press("Home");
    assertThat(list).hasAttribute("aria-activedescendant", Pattern.compile("-0$"));
    page.keyboard().press("Enter");
    assertThat(page).hasURL(Pattern.compile(third + "$"));
  }

  @Test
  void anActionOnManyIsForTheJobsThatWereThereAndReportsEach() {
    List<String> paused = new ArrayList<>(List.of(held("one"), held("two"), held("three")));
    String over = failed("four");
    server.awaitState(over, JobState.FAILED);
    page.navigate(server.address("jobs"));
    assertThat(rows()).hasCount(4);
    button("Select all").click();
    button("Abort").click();
    assertThat(dialog()).containsText("3 jobs will be aborted");
    assertThat(dialog()).containsText("1 job of the selection cannot be aborted");
    String late = held("late");
    server.resume(paused.getFirst());
    server.abort(paused.getLast());
    dialog().getByRole(AriaRole.TEXTBOX).fill("cleaning up");
    button(dialog(), "Abort 3 jobs").click();
    assertThat(dialog().getByRole(AriaRole.STATUS)).containsText("2 aborted, 1 refused");
    assertThat(dialog()).containsText("Refused");
    button(dialog(), "Close").click();
    assertThat(server.state(paused.getFirst())).isEqualTo(JobState.ABORTED);
    assertThat(server.state(late)).isEqualTo(JobState.PAUSED);
    assertThat(server.state(over)).isEqualTo(JobState.FAILED);
    assertThat(server.log(paused.getFirst())).contains("cleaning up");

    page.navigate(server.address("jobs?status=PAUSED,ABORTED,FAILED"));
    assertThat(rows()).hasCount(5);
    button("Select all").click();
    button("Delete").click();
    assertThat(dialog()).containsText("4 jobs will be deleted");
    button(dialog(), "Delete 4 jobs").click();
    assertThat(dialog().getByRole(AriaRole.STATUS)).containsText("4 deleted");
    button(dialog(), "Close").click();
    assertThat(rows()).hasCount(1);
    assertThat(rows()).containsText("late");
  }

  @Test
  void anActionWhoseAnswerIsLostSaysWhatBecameOfTheJobs() {
    for (int i = 0; i < 3; i++) {
      held("tale " + i);
    }
    String first = held("first");
    page.navigate(server.address("jobs"));
    assertThat(rows()).hasCount(4);
    complaints.expectOutage();
    page.route(
        "**/v1/jobs/bulk",
        route -> {
          server.abort(first);
          server.stop();
          route.abort("connectionreset");
        });
    button("Select all").click();
    button("Abort").click();
    button(dialog(), "Abort 4 jobs").click();
    assertThat(dialog()).containsText("Unknown: 4 jobs.");
    assertThat(dialog().getByText("not reached")).hasCount(0);
    server.start();
    assertThat(dialog()).containsText("what became of 4 jobs");
    assertThat(dialog()).containsText(Pattern.compile("1 is aborted,\\s+and 3\\s+are not"));
    button(dialog(), "Close").click();
    assertThat(page.locator("mr-rows .rows-row", within("aborted"))).hasCount(1);
  }

  @Test
  void anActionOnAllSaysWhenNotAllJobsCouldBeSearched() {
    held("one");
    page.route(
        "**/v1/jobs/search*",
        route -> {
          String text = route.fetch().text();
          route.fulfill(
              new Route.FulfillOptions()
                  .setContentType("application/json")
                  .setBody(
                      text.replaceFirst("\"complete\": ?true", "\"complete\":false")
                          .replaceFirst("\"known\": ?1", "\"known\":9")));
        });
    page.navigate(server.address("jobs"));
    assertThat(rows()).hasCount(1);
    button("Select all").click();
    button("Abort").click();
    assertThat(dialog()).containsText("The server has read 1 of 9.");
    assertThat(dialog()).containsText("1 job will be aborted");
    assertThat(dialog()).containsText("The server can search 1 of 9 jobs.");
  }

  @Test
  void anAddressThatTheServerRefusesIsNotRemembered() {
    failed("one");
    held("two");
    page.navigate(server.address("jobs?status=failed"));
    assertThat(rows()).hasCount(1);
    page.navigate(server.address("jobs?status=NONSENSE"));
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("got \"NONSENSE\"");
    assertThat(page.getByText("Reading jobs")).hasCount(0);
    link("Submit").click();
    link("Jobs").click();
    assertThat(page).hasURL(Pattern.compile("#/jobs\\?status=FAILED$"));
    page.navigate(server.address("jobs?status=NONSENSE"));
    button(page.getByRole(AriaRole.ALERT), "Clear filters").click();
    assertThat(rows()).hasCount(2);
  }

  @Test
  void anEmptyListSaysHowToSubmitToThisServer() {
    page.navigate(server.address("jobs"));
    assertThat(page.locator("mr-jobs mr-command"))
        .containsText("millrace work " + server.address("").replace("/#/", "") + " ");
  }
}
