package dev.millrace.cli.webpage;

import com.microsoft.playwright.Browser;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one browser that is started with the first of them and ends with the last. Skips
 * them where there is none, and keeps a picture of the page when one fails.
 */
final class ChromiumExtension
    implements BeforeAllCallback, ParameterResolver, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(ChromiumExtension.class);
  private static final Path PICTURES = Path.of("target", "page-failures").toAbsolutePath();

  @Override
  public void beforeAll(ExtensionContext context) {
    boolean found = BrowserPrograms.find().isPresent();
    if (!found && BrowserPrograms.isRequired()) {
      throw new AssertionError(
          BrowserPrograms.REQUIRED + " is set, and " + BrowserPrograms.missing());
    }
    Assumptions.assumeTrue(found, BrowserPrograms.missing());
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Browser.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(
            Chromium.class,
            _ -> Chromium.launch(BrowserPrograms.find().orElseThrow()),
            Chromium.class)
        .browser();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Optional<Throwable> failure = context.getExecutionException();
    if (failure.isPresent() && context.getRequiredTestInstance() instanceof PageFixture fixture) {
      String name =
          context.getRequiredTestClass().getSimpleName()
              + "."
              + context.getRequiredTestMethod().getName();
      fixture.keepPicture(PICTURES.resolve(name + ".png"));
    }
  }
}
