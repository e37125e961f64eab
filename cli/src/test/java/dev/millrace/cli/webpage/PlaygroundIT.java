package dev.millrace.cli.webpage;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The playground, with answers that a test makes up. */
class PlaygroundIT extends PageFixture {
  private static final String MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"thinker\",\"object\":\"model\"}]}";

  private final List<String> requests = new ArrayList<>();

  private static String chunk(String field, String text) {
    JsonObject delta = JsonObject.create().put(field, text);
    return event(JsonObject.create().put("choices", List.of(Map.of("index", 0, "delta", delta))));
  }

  private static String event(JsonObject data) {
    return "data: " + Json.write(data) + "\n\n";
  }

  private static Route.FulfillOptions answer(String type, String body) {
    return new Route.FulfillOptions().setContentType(type).setBody(body);
  }

  private void answerWith(String events) {
    page.route("**/v1/models", route -> route.fulfill(answer("application/json", MODELS)));
    page.route(
        "**/v1/chat/completions",
        route -> {
          requests.add(route.request().postData());
          route.fulfill(answer("text/event-stream", events));
        });
  }

  private void ask(String text) {
    page.getByLabel("Message", exactly()).fill(text);
    page.keyboard().press("Enter");
  }

  @Test
  void thoughtsAreFoldedAndNotSentBack() {
    answerWith(
        chunk("reasoning_content", "Hmm, <b>mills</b>.")
            + chunk("content", "A mill ")
            + chunk("content", "<i>grinds</i>.")
            + "data: [DONE]\n\n");
    PageServer server = serve(PageServer.over(dir.resolve("ws")));
    page.navigate(server.address("chat"));
    ask("What is a mill?");
    Locator answer = page.locator("article.assistant").first();
    assertThat(answer.locator(".words")).hasText("A mill <i>grinds</i>.");
    assertThat(answer.locator(".thoughts")).isHidden();
    answer.getByText("Thoughts").click();
    assertThat(answer.locator(".thoughts")).hasText("Hmm, <b>mills</b>.");
    ask("And a wheel?");
    assertThat(page.locator("article.assistant")).hasCount(2);
    assertThat(button("Try again")).isVisible();
    assertThat(requests.getLast()).contains("And a wheel?", "grinds").doesNotContain("Hmm");
    page.reload();
    assertThat(page.locator("article.assistant")).hasCount(2);
    button("New conversation").click();
    assertThat(heading("Ask something")).isVisible();
  }

  @Test
  void anAnswerThatBreaksOffIsSaid() {
    answerWith(chunk("content", "A mill "));
    PageServer server = serve(PageServer.over(dir.resolve("ws")));
    page.navigate(server.address("chat"));
    ask("What is a mill?");
    assertThat(page.locator("article.assistant")).containsText("The answer broke off");
  }

  @Test
  void aServerWithoutAModelSaysWhatToDo() {
    PageServer server = serve(PageServer.over(dir.resolve("ws")));
    page.navigate(server.address("chat"));
    assertThat(heading("This server has no model to chat with")).isVisible();
  }
}
