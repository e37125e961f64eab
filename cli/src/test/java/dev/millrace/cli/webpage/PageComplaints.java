package dev.millrace.cli.webpage;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Dialog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What must not happen on any page: an error in the console, such as of the content security
 * policy; an exception that nobody caught; a dialog of JavaScript, as injected scripts open.
 */
final class PageComplaints {
  /** Chromium's own lines for answers of 4xx and 503, which the page shows where they belong. */
  private static final Predicate<String> REFUSED =
      Pattern.compile(
              "Failed to load resource: the server responded with a status of (4\\d\\d|503)")
          .asPredicate();

  private static final Predicate<String> UNREACHABLE =
      Pattern.compile("net::ERR_|Failed to fetch|network error").asPredicate();

  private static final Set<String> WATCHED = Set.of("error", "warning");

  private final List<String> all = new ArrayList<>();
  private boolean outage;

  PageComplaints(BrowserContext context) {
    context.onConsoleMessage(this::note);
    context.onWebError(error -> all.add("exception: " + error.error()));
    context.onDialog(this::dismiss);
  }

  /** From now on the server may be away. */
  void expectOutage() {
    outage = true;
  }

  private void note(ConsoleMessage message) {
    if (WATCHED.contains(message.type())) {
      all.add(message.type() + ": " + message.text());
    }
  }

  private void dismiss(Dialog dialog) {
    all.add("dialog: " + dialog.message());
    dialog.dismiss();
  }

  List<String> found() {
    return all.stream()
        .filter(REFUSED.negate())
        .filter(it -> !outage || !UNREACHABLE.test(it))
        .toList();
  }
}
