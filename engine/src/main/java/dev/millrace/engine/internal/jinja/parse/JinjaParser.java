package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.parse.JinjaToken.Kind;
import dev.millrace.engine.internal.jinja.parse.Statement.Assign;
import dev.millrace.engine.internal.jinja.parse.Statement.Branch;
import dev.millrace.engine.internal.jinja.parse.Statement.Break;
import dev.millrace.engine.internal.jinja.parse.Statement.CallBlock;
import dev.millrace.engine.internal.jinja.parse.Statement.Continue;
import dev.millrace.engine.internal.jinja.parse.Statement.Data;
import dev.millrace.engine.internal.jinja.parse.Statement.FilterBlock;
import dev.millrace.engine.internal.jinja.parse.Statement.For;
import dev.millrace.engine.internal.jinja.parse.Statement.Generation;
import dev.millrace.engine.internal.jinja.parse.Statement.If;
import dev.millrace.engine.internal.jinja.parse.Statement.MacroDefinition;
import dev.millrace.engine.internal.jinja.parse.Statement.Parameter;
import dev.millrace.engine.internal.jinja.parse.Statement.Print;
import dev.millrace.engine.internal.jinja.parse.Statement.SetBlock;
import dev.millrace.engine.internal.jinja.parse.Statement.Signature;
import dev.millrace.engine.internal.jinja.parse.Statement.Target;
import dev.millrace.engine.internal.jinja.parse.Statement.With;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parses the statements of a template. An unsupported tag is rejected by name. */
public final class JinjaParser {
  private final JinjaTokenCursor tokens;
  private final ExpressionParser expressions;

  private JinjaParser(JinjaTokenCursor tokens) {
    this.tokens = tokens;
    this.expressions = new ExpressionParser(tokens);
  }

  public static List<Statement> parse(String source) {
    JinjaParser parser = new JinjaParser(new JinjaTokenCursor(JinjaLexer.tokens(source)));
    List<Statement> body = parser.body(Set.of(), false);
    if (!parser.tokens.at(Kind.END)) {
      throw new ChatTemplateException(
          "'" + parser.tokens.peek().text() + "' closes nothing", parser.tokens.line());
    }
    parser.tokens.throwIfUnsupported();
    return body;
  }

  /**
   * Parses statements up to a tag that begins with one of the names, and leaves that tag as the
   * next token; without names, up to the end of the template.
   */
  private List<Statement> body(Set<String> until, boolean inLoop) {
    tokens.enter();
    List<Statement> body = new ArrayList<>();
    while (!tokens.at(Kind.END)) {
      JinjaToken token = tokens.next();
      switch (token.kind()) {
        case DATA -> body.add(new Data(token.text(), token.line()));
        case PRINT_BEGIN -> {
          body.add(new Print(expressions.tuple(true), token.line()));
          if (tokens.next().kind() != Kind.PRINT_END) {
            throw new ChatTemplateException("unexpected text in '{{ }}'", token.line());
          }
        }
        default -> {
          if (until.contains(tokens.peek().text())) {
            tokens.leave();
            return body;
          }
          body.add(statement(token.line(), inLoop));
        }
      }
    }
    if (!until.isEmpty()) {
      throw new ChatTemplateException(
          "the template ends where one of " + until.stream().sorted().toList() + " is expected",
          tokens.line());
    }
    tokens.leave();
    return body;
  }

  private Statement statement(int line, boolean inLoop) {
    String tag = tokens.name();
    Statement statement =
        switch (tag) {
          case "if" -> ifElse(line, inLoop);
          case "for" -> loop(line);
          case "set" -> set(line);
          case "with" -> with(line, inLoop);
          case "macro" ->
              new MacroDefinition(tokens.name(), signature(parameters(), "endmacro"), line);
          case "call" -> call(line);
          case "filter" -> filter(line);
          case "generation" -> new Generation(block("endgeneration", false), line);
          case "break" -> control(new Break(line), inLoop);
          case "continue" -> control(new Continue(line), inLoop);
          default ->
              throw new ChatTemplateException("the tag '" + tag + "' is not supported here", line);
        };
    tokens.expectEndOfBlock();
    return statement;
  }

  private static Statement control(Statement statement, boolean inLoop) {
    if (!inLoop) {
      throw new ChatTemplateException("'break' or 'continue' outside of a loop", statement.line());
    }
    return statement;
  }

  /** Parses the rest of the opening tag, the body, and the name of the closing tag. */
  private List<Statement> block(String end, boolean inLoop) {
    tokens.expectEndOfBlock();
    List<Statement> body = body(Set.of(end), inLoop);
    tokens.next();
    return body;
  }

  private Statement ifElse(int line, boolean inLoop) {
    List<Branch> branches = new ArrayList<>();
    String tag = "if";
    while (!tag.equals("endif")) {
      Expression test = tag.equals("else") ? null : expressions.tuple(false);
      tokens.expectEndOfBlock();
      int suspects = tokens.unsupportedCount();
      Set<String> until = tag.equals("else") ? Set.of("endif") : Set.of("elif", "else", "endif");
      branches.add(new Branch(test, body(until, inLoop)));
      tokens.dropUnsupportedAfter(suspects);
      tag = tokens.name();
    }
    return new If(branches, line);
  }

  private Statement loop(int line) {
    Target target = targets(false);
    tokens.expectName("in");
    Expression items = expressions.tuple(false);
    Expression filter = tokens.skipName("if") ? expressions.expression() : null;
    if (tokens.atName("recursive")) {
      throw new ChatTemplateException(
          "'for ... recursive' is not supported; use a macro that calls itself", line);
    }
    tokens.expectEndOfBlock();
    List<Statement> body = body(Set.of("else", "endfor"), true);
    List<Statement> otherwise = List.of();
    if (tokens.name().equals("else")) {
      otherwise = block("endfor", false);
    }
    return new For(target, items, filter, body, otherwise, line);
  }

  private Statement set(int line) {
    Target target = targets(true);
    if (tokens.skipOperator("=")) {
      return new Assign(target, expressions.tuple(true), line);
    }
    Expression filter = tokens.atOperator("|") ? expressions.operands().filterChain(null) : null;
    return new SetBlock(target, filter, block("endset", false), line);
  }

  private Statement with(int line, boolean inLoop) {
    List<Assign> values = new ArrayList<>();
    while (!tokens.at(Kind.BLOCK_END)) {
      Target target = target(false);
      tokens.expectOperator("=");
      values.add(new Assign(target, expressions.expression(), line));
      if (!tokens.at(Kind.BLOCK_END)) {
        tokens.expectOperator(",");
      }
    }
    return new With(values, block("endwith", inLoop), line);
  }

  private Statement call(int line) {
    List<Parameter> parameters = tokens.atOperator("(") ? parameters() : List.of();
    if (!(expressions.expression() instanceof Expression.Call call)) {
      throw new ChatTemplateException("'call' needs a call of a macro", line);
    }
    return new CallBlock(call, signature(parameters, "endcall"), line);
  }

  private Statement filter(int line) {
    Expression first = expressions.operands().filter(null);
    Expression filter = tokens.atOperator("|") ? expressions.operands().filterChain(first) : first;
    return new FilterBlock(filter, block("endfilter", false), line);
  }

  private Signature signature(List<Parameter> parameters, String end) {
    int from = tokens.position();
    List<Statement> body = block(end, false);
    return new Signature(
        parameters, body, tokens.namesSince(from, Set.of("varargs", "kwargs", "caller")));
  }

  private List<Parameter> parameters() {
    tokens.expectOperator("(");
    List<Parameter> parameters = new ArrayList<>();
    while (!tokens.skipOperator(")")) {
      String name = tokens.name();
      Expression otherwise = tokens.skipOperator("=") ? expressions.expression() : null;
      if (otherwise == null && !parameters.isEmpty() && parameters.getLast().otherwise() != null) {
        throw new ChatTemplateException(
            "the parameter '" + name + "' without a default stands after one with a default",
            tokens.line());
      }
      parameters.add(new Parameter(name, otherwise));
      if (!tokens.atOperator(")")) {
        tokens.expectOperator(",");
      }
    }
    return parameters;
  }

  private Target targets(boolean members) {
    Target first = target(members);
    if (!tokens.atOperator(",")) {
      return first;
    }
    List<Target> targets = new ArrayList<>(List.of(first));
    while (tokens.skipOperator(",")
        && (tokens.at(Kind.NAME) || tokens.atOperator("("))
        && !tokens.atName("in")) {
      targets.add(target(members));
    }
    return new Target.Several(targets);
  }

  private Target target(boolean members) {
    if (tokens.skipOperator("(")) {
      tokens.enter();
      Target inner = targets(members);
      tokens.leave();
      tokens.expectOperator(")");
      return inner;
    }
    String name = tokens.name();
    if (members && tokens.skipOperator(".")) {
      return new Target.Member(name, tokens.name());
    }
    if (Set.of("true", "false", "none", "True", "False", "None").contains(name)) {
      throw new ChatTemplateException("can't assign to '" + name + "'", tokens.line());
    }
    return new Target.Variable(name);
  }
}
