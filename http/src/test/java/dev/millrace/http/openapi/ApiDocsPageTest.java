package dev.millrace.http.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ApiDocsPageTest {
  private final ApiDocsPage page = ApiDocsPage.load();
  private final String text = new String(page.bytes(), StandardCharsets.UTF_8);

  @Test
  void policyAllowsThePagesOwnScriptAndStyleOnly() throws Exception {
    for (String tag : new String[] {"style", "script"}) {
      Matcher part = Pattern.compile("(?s)<" + tag + ">(.*?)</" + tag + ">").matcher(text);
      assertThat(part.find()).isTrue();
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(part.group(1).getBytes(StandardCharsets.UTF_8));
      assertThat(page.contentSecurityPolicy())
          .contains(tag + "-src 'sha256-" + Base64.getEncoder().encodeToString(digest) + "';");
      assertThat(part.find()).as("a second <%s>", tag).isFalse();
    }
    assertThat(page.contentSecurityPolicy())
        .startsWith("default-src 'none'")
        .doesNotContain("unsafe");
  }

  @Test
  void pageLoadsNothingFromOtherSitesAndEscapesText() {
    assertThat(text)
        .doesNotContainPattern("(?:src|href)=\"(?:https?:)?//")
        .doesNotContain("@import", "innerHTML", "outerHTML", "document.write", "eval(", " style=\"")
        .doesNotContainPattern("<\\w+[^>]* on\\w+=");
  }
}
