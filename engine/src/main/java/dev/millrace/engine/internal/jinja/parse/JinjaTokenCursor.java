package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the tokens of a template one by one and limits the nesting. */
final class JinjaTokenCursor {
  /**
   * Python's parser stops at a similar depth; this one must not overflow the stack of a small
   * thread.
   */
  private static final int DEEPEST = 100;

  private final List<JinjaToken> tokens;
  private final List<ChatTemplateException> unknowns = new ArrayList<>();
  private int at;
  private int depth;

  JinjaTokenCursor(List<JinjaToken> tokens) {
    this.tokens = tokens;
  }

  JinjaToken peek() {
    return tokens.get(at);
  }

  JinjaToken peekNext() {
    return tokens.get(Math.min(at + 1, tokens.size() - 1));
  }

  JinjaToken next() {
    JinjaToken token = tokens.get(at);
    at = Math.min(at + 1, tokens.size() - 1);
    return token;
  }

  int position() {
    return at;
  }

  /** The given names that occur between {@code from} and here. */
  Set<String> namesSince(int from, Set<String> names) {
    return tokens.subList(from, at).stream()
        .filter(token -> token.kind() == Kind.NAME)
        .map(JinjaToken::text)
        .filter(names::contains)
        .collect(Collectors.toUnmodifiableSet());
  }

  int line() {
    return peek().line();
  }

  boolean at(Kind kind) {
    return peek().kind() == kind;
  }

  boolean atName(String name) {
    return peek().is(Kind.NAME, name);
  }

  boolean atOperator(String operator) {
    return peek().is(Kind.OPERATOR, operator);
  }

  boolean skipName(String name) {
    return skip(atName(name));
  }

  boolean skipOperator(String operator) {
    return skip(atOperator(operator));
  }

  private boolean skip(boolean matches) {
    if (matches) {
      next();
    }
    return matches;
  }

  void expectName(String name) {
    if (!skipName(name)) {
      throw unexpected("'" + name + "'");
    }
  }

  void expectOperator(String operator) {
    if (!skipOperator(operator)) {
      throw unexpected("'" + operator + "'");
    }
  }

  void expectEndOfBlock() {
    if (next().kind() != Kind.BLOCK_END) {
      at--;
      throw unexpected("the end of the tag");
    }
  }

  String name() {
    if (!at(Kind.NAME)) {
      throw unexpected("a name");
    }
    return next().text();
  }

  ChatTemplateException unexpected(String expected) {
    return new ChatTemplateException("expected " + expected + ", found " + peek().shown(), line());
  }

  void enter() {
    if (++depth > DEEPEST) {
      throw new ChatTemplateException("nested more than " + DEEPEST + " deep", line());
    }
  }

  void leave() {
    depth--;
  }

  /**
   * Records an unknown name: an error at the end of the parsing, unless it is {@linkplain
   * #dropUnsupportedAfter dropped}.
   */
  void addUnsupported(ChatTemplateException unknown) {
    unknowns.add(unknown);
  }

  int unsupportedCount() {
    return unknowns.size();
  }

  /**
   * What was recorded after the first {@code n} may never be evaluated, and is an error only when
   * it is: jinja2 has the same rule for conditional code.
   */
  void dropUnsupportedAfter(int n) {
    unknowns.subList(n, unknowns.size()).clear();
  }

  void throwIfUnsupported() {
    if (!unknowns.isEmpty()) {
      throw unknowns.getFirst();
    }
  }
}
