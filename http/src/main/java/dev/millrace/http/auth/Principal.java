package dev.millrace.http.auth;

import java.util.Set;

/** The caller of a request: the name of its key, and what the key allows. */
public record Principal(String name, Set<KeyScope> scopes) {

  /** The only organisation: that of the server. */
  public static final String ORGANISATION = "default";

  /** Every caller of a server without keys. */
  public static final Principal LOCAL = new Principal("local", Set.of(KeyScope.ADMIN));

  /** A caller without a key, where none is needed. */
  public static final Principal ANONYMOUS = new Principal("anonymous", Set.of());

  public Principal {
    scopes = Set.copyOf(scopes);
  }

  public boolean isAnonymous() {
    return scopes.isEmpty();
  }

  public boolean may(KeyScope scope) {
    return scope == KeyScope.NONE || scopes.contains(KeyScope.ADMIN) || scopes.contains(scope);
  }
}
