package dev.millrace.engine.chat.jinja;

import dev.millrace.engine.chat.jinja.Statement.Assign;
import dev.millrace.engine.chat.jinja.Statement.Branch;
import dev.millrace.engine.chat.jinja.Statement.Break;
import dev.millrace.engine.chat.jinja.Statement.CallBlock;
import dev.millrace.engine.chat.jinja.Statement.Continue;
import dev.millrace.engine.chat.jinja.Statement.Data;
import dev.millrace.engine.chat.jinja.Statement.FilterBlock;
import dev.millrace.engine.chat.jinja.Statement.For;
import dev.millrace.engine.chat.jinja.Statement.Generation;
import dev.millrace.engine.chat.jinja.Statement.If;
import dev.millrace.engine.chat.jinja.Statement.MacroDefinition;
import dev.millrace.engine.chat.jinja.Statement.Print;
import dev.millrace.engine.chat.jinja.Statement.SetBlock;
import dev.millrace.engine.chat.jinja.Statement.Target;
import dev.millrace.engine.chat.jinja.Statement.With;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Carries out the statements of one rendering. */
final class Renderer {
  /** How a body ended: at its end, or by a statement that concerns the loop around it. */
  private enum Flow {
    ON,
    BREAK,
    CONTINUE
  }

  private final Budget budget;
  private final Evaluator evaluator;
  private StringBuilder out = new StringBuilder();

  Renderer(Budget budget) {
    this.budget = budget;
    this.evaluator = new Evaluator(budget);
  }

  Evaluator evaluator() {
    return evaluator;
  }

  /** What the statements print. */
  String capture(List<Statement> body, Scope scope) {
    StringBuilder around = out;
    out = new StringBuilder();
    budget.enterCall();
    try {
      run(body, scope);
      return out.toString();
    } finally {
      budget.leaveCall();
      out = around;
    }
  }

  private Flow run(List<Statement> body, Scope scope) {
    for (Statement statement : body) {
      try {
        budget.step();
        Flow flow = run(statement, scope);
        if (flow != Flow.ON) {
          return flow;
        }
      } catch (TemplateException e) {
        throw e.at(statement.line());
      }
    }
    return Flow.ON;
  }

  private Flow run(Statement statement, Scope scope) {
    switch (statement) {
      case Data data -> print(data.text());
      case Print print -> print(Text.str(evaluator.value(print.value(), scope)));
      case If branches -> {
        return runIf(branches, scope);
      }
      case For loop -> runLoop(loop, scope);
      case Break _ -> {
        return Flow.BREAK;
      }
      case Continue _ -> {
        return Flow.CONTINUE;
      }
      case Assign set -> assign(set.target(), evaluator.value(set.value(), scope), scope);
      case SetBlock set ->
          assign(
              set.target(),
              evaluator.filtered(set.filter(), capture(set.body(), new Scope(scope)), scope),
              scope);
      case With with -> {
        return runWith(with, scope);
      }
      case MacroDefinition macro ->
          scope.set(macro.name(), new Macro(macro.name(), macro.signature(), scope, this));
      case CallBlock call -> runCall(call, scope);
      case FilterBlock block ->
          print(
              Text.str(
                  evaluator.filtered(
                      block.filter(), capture(block.body(), new Scope(scope)), scope)));
      case Generation generation -> print(capture(generation.body(), new Scope(scope)));
    }
    return Flow.ON;
  }

  private void print(String text) {
    budget.grow(out.length(), text.length());
    out.append(text);
  }

  private Flow runIf(If branches, Scope scope) {
    for (Branch branch : branches.branches()) {
      if (branch.test() == null || Types.truth(evaluator.value(branch.test(), scope))) {
        return run(branch.body(), scope);
      }
    }
    return Flow.ON;
  }

  private void runLoop(For statement, Scope scope) {
    Iterator<?> items = Types.iterate(evaluator.value(statement.items(), scope));
    if (statement.filter() != null) {
      items = new Chosen(items, item -> chosen(statement, item, scope));
    }
    Loop loop = new Loop(items, budget);
    boolean any = false;
    while (loop.hasNext()) {
      any = true;
      Scope round = new Scope(scope);
      round.set("loop", loop);
      assign(statement.target(), loop.next(), round);
      budget.step();
      if (run(statement.body(), round) == Flow.BREAK) {
        break;
      }
    }
    if (!any) {
      run(statement.otherwise(), new Scope(scope));
    }
  }

  private boolean chosen(For statement, Object item, Scope scope) {
    Scope test = new Scope(scope);
    assign(statement.target(), item, test);
    return Types.truth(evaluator.value(Objects.requireNonNull(statement.filter()), test));
  }

  private Flow runWith(With with, Scope scope) {
    Scope inner = new Scope(scope);
    for (Assign set : with.values()) {
      assign(set.target(), evaluator.value(set.value(), scope), inner);
    }
    return run(with.body(), inner);
  }

  private void runCall(CallBlock block, Scope scope) {
    Object callee = evaluator.value(block.call().callee(), scope);
    Arguments given = evaluator.arguments(block.call().arguments(), scope);
    Map<String, Object> named = new LinkedHashMap<>(given.named());
    named.put("caller", new Macro("caller", block.caller(), scope, this));
    print(Text.str(evaluator.call(callee, new Arguments(given.positional(), named))));
  }

  private void assign(Target target, Object value, Scope scope) {
    switch (target) {
      case Target.Variable variable -> scope.set(variable.name(), value);
      case Target.Member member -> {
        if (!(scope.get(member.namespace()) instanceof Namespace namespace)) {
          throw new TemplateException(
              "cannot assign attribute on non-namespace object '" + member.namespace() + "'");
        }
        namespace.attributes().put(member.name(), value);
      }
      case Target.Several several -> {
        List<Object> values = Types.list(value, budget);
        if (values.size() != several.targets().size()) {
          throw new TemplateException(
              values.size() + " values where " + several.targets().size() + " are expected");
        }
        for (int i = 0; i < values.size(); i++) {
          assign(several.targets().get(i), values.get(i), scope);
        }
      }
    }
  }
}
