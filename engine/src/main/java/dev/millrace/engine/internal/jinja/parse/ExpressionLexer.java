package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.Whitespace;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts the inside of one tag into tokens, up to the {@code }}} or {@code %}} that closes it. Inside
 * open brackets, neither closes it.
 */
final class ExpressionLexer {
  private static final Pattern FLOAT =
      Pattern.compile(
          "(?:\\d+_)*\\d+(?:(?:\\.(?:\\d+_)*\\d+)?[eE][+-]?(?:\\d+_)*\\d+|\\.(?:\\d+_)*\\d+)");
  private static final Pattern INTEGER =
      Pattern.compile(
          "0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\\d)*|0(?:_?0)*");
  private static final Pattern NAME =
      Pattern.compile("[\\p{L}\\p{Nl}_][\\p{L}\\p{Nl}\\p{Nd}\\p{Mn}\\p{Mc}\\p{Pc}]*");
  private static final List<String> OPERATORS =
      List.of(
          "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{",
          "}", ">", "<", "=", ".", ":", "|", ",", ";");

  private final String source;
  private final String close;
  private final Matcher matcher;
  private final Deque<Character> open = new ArrayDeque<>();
  private int at;
  private int line;
  private char sign = ' ';

  ExpressionLexer(String source, int at, int line, String close) {
    this.source = source;
    this.at = at;
    this.line = line;
    this.close = close;
    this.matcher = NAME.matcher(source);
  }

  /** The offset of the text after the closing mark. */
  int end() {
    return at;
  }

  int line() {
    return line;
  }

  /** The '-' or '+' of the closing mark, or a blank. */
  char sign() {
    return sign;
  }

  void readInto(List<JinjaToken> tokens) {
    int begin = line;
    while (true) {
      while (at < source.length() && Whitespace.isSpace(source.charAt(at))) {
        line += source.charAt(at++) == '\n' ? 1 : 0;
      }
      if (at >= source.length()) {
        throw new ChatTemplateException("a tag is not closed by '" + close + "'", begin);
      }
      if (open.isEmpty() && closes()) {
        return;
      }
      tokens.add(next());
    }
  }

  private boolean closes() {
    char c = source.charAt(at);
    boolean signed =
        (c == '-' || (c == '+' && close.equals("%}"))) && source.startsWith(close, at + 1);
    if (signed) {
      sign = c;
      at++;
    }
    boolean closed = source.startsWith(close, at);
    at += closed ? close.length() : 0;
    return closed;
  }

  private JinjaToken next() {
    int from = at;
    int fromLine = line;
    if (take(FLOAT)) {
      return new JinjaToken(Kind.FLOAT, source.substring(from, at).replace("_", ""), fromLine);
    }
    if (take(INTEGER)) {
      return new JinjaToken(Kind.INTEGER, source.substring(from, at).replace("_", ""), fromLine);
    }
    if (take(NAME)) {
      return new JinjaToken(Kind.NAME, source.substring(from, at), fromLine);
    }
    if (source.charAt(at) == '\'' || source.charAt(at) == '"') {
      return string();
    }
    for (String operator : OPERATORS) {
      if (source.startsWith(operator, at)) {
        balance(operator.charAt(0));
        at += operator.length();
        return new JinjaToken(Kind.OPERATOR, operator, fromLine);
      }
    }
    throw new ChatTemplateException("unexpected character '" + source.charAt(at) + "'", line);
  }

  private JinjaToken string() {
    int begin = line;
    int from = at + 1;
    char quote = source.charAt(at);
    for (int i = from; i < source.length(); i++) {
      char c = source.charAt(i);
      line += c == '\n' ? 1 : 0;
      if (c == quote) {
        at = i + 1;
        return new JinjaToken(
            Kind.STRING, StringEscapes.unescape(source.substring(from, i), begin), begin);
      }
      i += c == '\\' ? 1 : 0;
    }
    throw new ChatTemplateException("a string is not closed", begin);
  }

  private boolean take(Pattern pattern) {
    if (matcher.usePattern(pattern).region(at, source.length()).lookingAt()) {
      at = matcher.end();
      return true;
    }
    return false;
  }

  private void balance(char c) {
    switch (c) {
      case '(' -> open.push(')');
      case '[' -> open.push(']');
      case '{' -> open.push('}');
      case ')', ']', '}' -> {
        if (open.isEmpty() || open.pop() != c) {
          throw new ChatTemplateException("unexpected '" + c + "'", line);
        }
      }
      default -> {}
    }
  }
}
