package dev.millrace.engine.internal.jinja;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.parse.Statement;
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
import dev.millrace.engine.internal.jinja.parse.Statement.Print;
import dev.millrace.engine.internal.jinja.parse.Statement.SetBlock;
import dev.millrace.engine.internal.jinja.parse.Statement.Target;
import dev.millrace.engine.internal.jinja.parse.Statement.With;
import dev.millrace.engine.internal.jinja.value.LoopVariable;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.TemplateNamespace;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Executes the statements of one rendering. */
final class StatementRenderer {
  /** How a body ended: normally, or by a statement for the loop around it. */
  private enum Completion {
    NORMAL,
    BREAK,
    CONTINUE
  }

  private final RenderBudget budget;
  private final ExpressionEvaluator evaluator;
  private PyString.Builder out = new PyString.Builder();

  StatementRenderer(RenderBudget budget) {
    this.budget = budget;
    this.evaluator = new ExpressionEvaluator(budget);
  }

  ExpressionEvaluator evaluator() {
    return evaluator;
  }

  /** Renders the statements to a string. */
  PyString capture(List<Statement> body, VariableScope scope) {
    PyString.Builder around = out;
    out = new PyString.Builder();
    budget.enterCall();
    try {
      run(body, scope);
      return out.build();
    } finally {
      budget.leaveCall();
      out = around;
    }
  }

  private Completion run(List<Statement> body, VariableScope scope) {
    for (Statement statement : body) {
      try {
        budget.chargeStep();
        Completion flow = run(statement, scope);
        if (flow != Completion.NORMAL) {
          return flow;
        }
      } catch (ChatTemplateException e) {
        throw e.at(statement.line());
      }
    }
    return Completion.NORMAL;
  }

  private Completion run(Statement statement, VariableScope scope) {
    switch (statement) {
      case Data data -> print(PyString.ofTemplate(data.text()));
      case Print print -> print(PyText.str(evaluator.evaluate(print.value(), scope)));
      case If branches -> {
        return runIf(branches, scope);
      }
      case For loop -> runLoop(loop, scope);
      case Break _ -> {
        return Completion.BREAK;
      }
      case Continue _ -> {
        return Completion.CONTINUE;
      }
      case Assign set -> assign(set.target(), evaluator.evaluate(set.value(), scope), scope);
      case SetBlock set ->
          assign(
              set.target(),
              evaluator.applyBlockFilter(
                  set.filter(), capture(set.body(), new VariableScope(scope)), scope),
              scope);
      case With with -> {
        return runWith(with, scope);
      }
      case MacroDefinition macro ->
          scope.set(macro.name(), new Macro(macro.name(), macro.signature(), scope, this));
      case CallBlock call -> runCall(call, scope);
      case FilterBlock block ->
          print(
              PyText.str(
                  evaluator.applyBlockFilter(
                      block.filter(), capture(block.body(), new VariableScope(scope)), scope)));
      case Generation generation -> print(capture(generation.body(), new VariableScope(scope)));
    }
    return Completion.NORMAL;
  }

  private void print(PyString text) {
    budget.chargeAppend(out.length(), text.length());
    out.append(text);
  }

  private Completion runIf(If branches, VariableScope scope) {
    for (Branch branch : branches.branches()) {
      if (branch.test() == null || PyTypes.isTruthy(evaluator.evaluate(branch.test(), scope))) {
        return run(branch.body(), scope);
      }
    }
    return Completion.NORMAL;
  }

  private void runLoop(For statement, VariableScope scope) {
    Iterator<?> items = PyTypes.iterate(evaluator.evaluate(statement.items(), scope));
    if (statement.filter() != null) {
      items = new FilteredIterator(items, item -> chosen(statement, item, scope));
    }
    LoopVariable loop = new LoopVariable(items, budget);
    boolean any = false;
    while (loop.hasNext()) {
      any = true;
      VariableScope round = new VariableScope(scope);
      round.set("loop", loop);
      assign(statement.target(), loop.next(), round);
      budget.chargeStep();
      if (run(statement.body(), round) == Completion.BREAK) {
        break;
      }
    }
    if (!any) {
      run(statement.otherwise(), new VariableScope(scope));
    }
  }

  private boolean chosen(For statement, Object item, VariableScope scope) {
    VariableScope test = new VariableScope(scope);
    assign(statement.target(), item, test);
    return PyTypes.isTruthy(evaluator.evaluate(Objects.requireNonNull(statement.filter()), test));
  }

  private Completion runWith(With with, VariableScope scope) {
    VariableScope inner = new VariableScope(scope);
    for (Assign set : with.values()) {
      assign(set.target(), evaluator.evaluate(set.value(), scope), inner);
    }
    return run(with.body(), inner);
  }

  private void runCall(CallBlock block, VariableScope scope) {
    Object callee = evaluator.evaluate(block.call().callee(), scope);
    PyArguments given = evaluator.evaluateArguments(block.call().arguments(), scope);
    Map<String, Object> named = new LinkedHashMap<>(given.named());
    named.put("caller", new Macro("caller", block.caller(), scope, this));
    print(PyText.str(evaluator.call(callee, new PyArguments(given.positional(), named))));
  }

  private void assign(Target target, Object value, VariableScope scope) {
    switch (target) {
      case Target.Variable variable -> scope.set(variable.name(), value);
      case Target.Member member -> {
        if (!(scope.get(member.namespace()) instanceof TemplateNamespace namespace)) {
          throw new ChatTemplateException(
              "cannot assign attribute on non-namespace object '" + member.namespace() + "'");
        }
        namespace.attributes().put(PyString.ofTemplate(member.name()), value);
      }
      case Target.Several several -> {
        List<Object> values = PyTypes.list(value, budget);
        if (values.size() != several.targets().size()) {
          throw new ChatTemplateException(
              values.size() + " values where " + several.targets().size() + " are expected");
        }
        for (int i = 0; i < values.size(); i++) {
          assign(several.targets().get(i), values.get(i), scope);
        }
      }
    }
  }
}
