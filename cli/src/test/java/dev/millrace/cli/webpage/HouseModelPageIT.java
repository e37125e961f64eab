package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.millrace.cli.process.ServeProcess;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of {@code millrace serve} as it is shipped, with a model that computes. */
class HouseModelPageIT extends PageFixture {
  private static final Pattern SOMETHING = Pattern.compile("\\w");
  private static final LocatorAssertions.ContainsTextOptions LONG =
      new LocatorAssertions.ContainsTextOptions().setTimeout(120_000);

  @Test
  void aModelIsShownPromptedVerifiedAndChattedWith() {
    try (ServeProcess server =
        ServeProcess.start(dir, "--model", "house", "--no-warmup", "--port", "0")) {
      String home = server.uri().toString().replaceAll("/$", "") + "/#/";
      page.navigate(home + "submit");
      page.getByLabel("Prompt", exactly()).fill("Write a story with these words: mill, river.");
      page.getByLabel("Max tokens").fill("12");
      page.getByLabel("Seed").fill("7");
      button("Submit the prompt").click();
      assertThat(page.locator("mr-job header")).containsText("completed", LONG);
      assertThat(page.getByLabel("Output", exactly())).hasText(SOMETHING);
      button("Verify").click();
      assertThat(page.locator("mr-job-verify")).containsText("the same", LONG);

      page.navigate(home + "chat");
      page.getByLabel("Max tokens").fill("8");
      page.getByLabel("Message", exactly()).fill("Hello.");
      page.keyboard().press("Enter");
      Locator answer = page.locator("article.assistant");
      assertThat(answer).containsText("tokens", LONG);
      assertThat(answer.locator(".words")).hasText(SOMETHING);

      page.navigate(home + "server");
      assertThat(page.locator("mr-server")).containsText("house");
      page.navigate(home + "states");
      assertThat(page.locator("mr-states a", within("completed")).first()).containsText("1");
    }
  }
}
