package dev.millrace.http.auth;

import java.util.Locale;

/** The permissions that an API key can have. */
public enum KeyScope {
  /** No key is needed. */
  NONE,
  /** See jobs, logs, results and metrics. */
  READ,
  /** Create, change, control and delete jobs. */
  SUBMIT,
  /** Claim tasks and report their results. */
  WORK,
  /** Everything. */
  ADMIN;

  /** Its name in the file of keys and in the OpenAPI document. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
