package dev.millrace.engine.internal.jinja.parse;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A statement of a template, with its line. */
public sealed interface Statement {
  int line();

  record Data(String text, int line) implements Statement {}

  record Print(Expression value, int line) implements Statement {}

  /** {@code if} with its {@code elif}s and, as a branch without a test, its {@code else}. */
  record If(List<Branch> branches, int line) implements Statement {}

  record Branch(@Nullable Expression test, List<Statement> body) {}

  record For(
      Target target,
      Expression items,
      @Nullable Expression filter,
      List<Statement> body,
      List<Statement> otherwise,
      int line)
      implements Statement {}

  record Break(int line) implements Statement {}

  record Continue(int line) implements Statement {}

  record Assign(Target target, Expression value, int line) implements Statement {}

  record SetBlock(Target target, @Nullable Expression filter, List<Statement> body, int line)
      implements Statement {}

  record With(List<Assign> values, List<Statement> body, int line) implements Statement {}

  record MacroDefinition(String name, Signature signature, int line) implements Statement {}

  /**
   * {@code call(parameters) callee(arguments)}: calls a macro that finds the body as {@code
   * caller}.
   */
  record CallBlock(Expression.Call call, Signature caller, int line) implements Statement {}

  record FilterBlock(Expression filter, List<Statement> body, int line) implements Statement {}

  /** {@code generation}: marks the model's text for training; here only a scope. */
  record Generation(List<Statement> body, int line) implements Statement {}

  /**
   * The parameters of a macro or call block, its body, and which of {@code varargs}, {@code kwargs}
   * and {@code caller} the body names.
   */
  record Signature(List<Parameter> parameters, List<Statement> body, Set<String> implicit) {}

  record Parameter(String name, @Nullable Expression otherwise) {}

  /** The target of {@code set} and {@code for}. */
  sealed interface Target {
    record Variable(String name) implements Target {}

    record Member(String namespace, String name) implements Target {}

    record Several(List<Target> targets) implements Target {}
  }
}
