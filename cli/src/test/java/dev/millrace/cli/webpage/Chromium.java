package dev.millrace.cli.webpage;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;

/** A running browser without a window. One thread at a time may use it. */
public final class Chromium implements AutoCloseable {
  private final Playwright driver;
  private final Browser browser;

  private Chromium(Playwright driver, Browser browser) {
    this.driver = driver;
    this.browser = browser;
  }

  public static Chromium launch(BrowserPrograms programs) {
    Playwright driver =
        Playwright.create(new Playwright.CreateOptions().setEnv(programs.driverEnvironment()));
    try {
      BrowserType.LaunchOptions options =
          new BrowserType.LaunchOptions()
              .setExecutablePath(programs.chromium())
              .setArgs(programs.browserArguments());
      return new Chromium(driver, driver.chromium().launch(options));
    } catch (RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  public Browser browser() {
    return browser;
  }

  @Override
  public void close() {
    browser.close();
    driver.close();
  }
}
