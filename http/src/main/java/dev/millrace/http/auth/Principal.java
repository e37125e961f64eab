package dev.millrace.http.auth;

import java.util.Set;

/** Who asks: the name of a key, and what it allows. */
public record Principal(String name, Set<KeyScope> scopes) {

  /** Whoever reaches a server that needs no keys. */
  public static final Principal LOCAL = new Principal("local", Set.of(KeyScope.ADMIN));

  public Principal {
    scopes = Set.copyOf(scopes);
  }

  public boolean may(KeyScope scope) {
    return scope == KeyScope.NONE || scopes.contains(KeyScope.ADMIN) || scopes.contains(scope);
  }
}
