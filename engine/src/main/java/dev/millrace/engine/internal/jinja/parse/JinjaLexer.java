package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.Whitespace;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a template into text and tags, by the white space rules of jinja2 under trim_blocks and
 * lstrip_blocks: a line break right after a block or comment is dropped; blanks between the start
 * of a line and a block or comment are dropped; {@code -} drops all white space on its side; {@code
 * +} keeps it.
 */
final class JinjaLexer {
  private final String source;
  private final List<JinjaToken> tokens = new ArrayList<>();
  private int at;
  private int line = 1;

  /** Whether the last piece ended a line, so that following blanks are at the start of one. */
  private boolean lineStart = true;

  private JinjaLexer(String source) {
    this.source = source;
  }

  static List<JinjaToken> tokens(String source) {
    return new JinjaLexer(normalized(source)).run();
  }

  /**
   * Normalises all line ends to \n and removes one at the very end, as jinja2 does without
   * keep_trailing_newline.
   */
  private static String normalized(String source) {
    String text = source.replace("\r\n", "\n").replace('\r', '\n');
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  private List<JinjaToken> run() {
    while (at < source.length()) {
      int open = nextTag();
      if (open < 0) {
        data(source.substring(at));
        break;
      }
      tag(open);
    }
    tokens.add(new JinjaToken(Kind.END, "", line));
    return tokens;
  }

  private int nextTag() {
    for (int i = source.indexOf('{', at);
        i >= 0 && i + 1 < source.length();
        i = source.indexOf('{', i + 1)) {
      if ("{%#".indexOf(source.charAt(i + 1)) >= 0) {
        return i;
      }
    }
    return -1;
  }

  private void tag(int open) {
    char kind = source.charAt(open + 1);
    char sign = open + 2 < source.length() ? source.charAt(open + 2) : ' ';
    boolean signed = sign == '-' || sign == '+';
    data(before(source.substring(at, open), sign, kind != '{'));
    at = skip(at, open + (signed ? 3 : 2));
    lineStart = false;
    switch (kind) {
      case '#' -> comment();
      case '{' -> expression(Kind.PRINT_BEGIN, Kind.PRINT_END, "}}");
      default -> {
        int body = endOfRawTag(at, "raw");
        if (body >= 0) {
          raw(body);
        } else {
          expression(Kind.BLOCK_BEGIN, Kind.BLOCK_END, "%}");
        }
      }
    }
  }

  /**
   * The text before a tag, without the white space that the tag's sign or lstrip_blocks removes.
   */
  private String before(String text, char sign, boolean stripsLine) {
    if (sign == '-') {
      return text.substring(0, Whitespace.lengthWithoutEnd(text));
    }
    int start = text.lastIndexOf('\n') + 1;
    if (sign != '+'
        && stripsLine
        && (start > 0 || lineStart)
        && Whitespace.lengthWithoutEnd(text) <= start) {
      return text.substring(0, start);
    }
    return text;
  }

  private void data(String text) {
    if (!text.isEmpty()) {
      tokens.add(new JinjaToken(Kind.DATA, text, line));
    }
  }

  private void comment() {
    int end = source.indexOf("#}", at);
    if (end < 0) {
      throw new ChatTemplateException("a comment is not closed by '#}'", line);
    }
    // "{#-#}" has one sign only, and it belongs to the beginning.
    char sign = end > at ? source.charAt(end - 1) : ' ';
    at = skip(at, after(end + 2, sign, true));
  }

  private void raw(int body) {
    int begin = line;
    at = skip(at, body);
    for (int open = source.indexOf("{%", at); open >= 0; open = source.indexOf("{%", open + 1)) {
      char sign = open + 2 < source.length() ? source.charAt(open + 2) : ' ';
      int name = sign == '-' || sign == '+' ? open + 3 : open + 2;
      int end = endOfRawTag(name, "endraw");
      if (end >= 0) {
        data(before(source.substring(at, open), sign, true));
        at = skip(at, end);
        return;
      }
    }
    throw new ChatTemplateException("'raw' is not closed by 'endraw'", begin);
  }

  /** The offset after {@code raw %}} or {@code endraw %}} if one is here; else -1. */
  private int endOfRawTag(int from, String name) {
    int i = blanks(from);
    if (!source.startsWith(name, i)) {
      return -1;
    }
    i = blanks(i + name.length());
    char sign = i < source.length() ? source.charAt(i) : ' ';
    boolean signed = sign == '-' || (sign == '+' && name.equals("endraw"));
    int close = signed ? i + 1 : i;
    return source.startsWith("%}", close) ? after(close + 2, sign, name.equals("endraw")) : -1;
  }

  private void expression(Kind begin, Kind end, String close) {
    tokens.add(new JinjaToken(begin, "", line));
    ExpressionLexer lexer = new ExpressionLexer(source, at, line, close);
    lexer.readInto(tokens);
    line = lexer.line();
    tokens.add(new JinjaToken(end, "", line));
    char sign = lexer.sign();
    at = skip(lexer.end(), after(lexer.end(), sign, end == Kind.BLOCK_END));
  }

  /** The offset of the text after a tag: its sign or trim_blocks may skip white space. */
  private int after(int end, char sign, boolean trims) {
    if (sign == '-') {
      return blanks(end);
    }
    return trims && sign != '+' && end < source.length() && source.charAt(end) == '\n'
        ? end + 1
        : end;
  }

  private int blanks(int from) {
    int i = from;
    while (i < source.length() && Whitespace.isSpace(source.charAt(i))) {
      i++;
    }
    return i;
  }

  /** Advances to {@code to} and counts lines. */
  private int skip(int from, int to) {
    for (int i = from; i < to; i++) {
      line += source.charAt(i) == '\n' ? 1 : 0;
    }
    lineStart = to > 0 && source.charAt(to - 1) == '\n';
    return to;
  }
}
