package dev.millrace.server.http;

import java.util.Set;

/** Who asks: the name of a key, and what it allows. */
public record Principal(String name, Set<Scope> scopes) {

  /** Whoever reaches a server that needs no keys. */
  public static final Principal LOCAL = new Principal("local", Set.of(Scope.ADMIN));

  public Principal {
    scopes = Set.copyOf(scopes);
  }

  public boolean may(Scope scope) {
    return scope == Scope.NONE || scopes.contains(Scope.ADMIN) || scopes.contains(scope);
  }
}
