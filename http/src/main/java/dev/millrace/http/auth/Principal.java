package dev.millrace.http.auth;

import java.util.Set;

/** The caller of a request: the name of its key, and what the key allows. */
public record Principal(String name, Set<KeyScope> scopes) {

  /** The only organisation: that of the server. */
  public static final String ORGANISATION = "default";

  /** Every caller of a server without keys. */
  public static final Principal LOCAL = new Principal("local", Set.of(KeyScope.ADMIN));

  public Principal {
    scopes = Set.copyOf(scopes);
  }

  public boolean may(KeyScope scope) {
    return scope == KeyScope.NONE || scopes.contains(KeyScope.ADMIN) || scopes.contains(scope);
  }
}
