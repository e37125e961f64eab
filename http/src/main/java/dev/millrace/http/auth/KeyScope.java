package dev.millrace.http.auth;

import java.util.Locale;

/** What a key allows. */
public enum KeyScope {
  /** Nobody is asked for a key. */
  NONE,
  /** See jobs, logs, results and metrics. */
  READ,
  /** Make, change, steer and delete jobs. */
  SUBMIT,
  /** Claim tasks and answer for them. */
  WORK,
  /** Everything. */
  ADMIN;

  /** As a file of keys writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
