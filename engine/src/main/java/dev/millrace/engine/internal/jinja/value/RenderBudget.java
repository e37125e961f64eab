package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.budget.CompileLimits;
import java.util.List;
import java.util.Map;

/**
 * What is left of the {@link JinjaLimits} of one rendering: it says what an operation costs, and a
 * {@link CompileBudget} counts. Rendering ends soon after its thread is interrupted.
 */
public final class RenderBudget {
  private static final int CHARS_PER_STEP = 16;

  private static final int COMPARISONS_PER_STEP = 1024;

  private final JinjaLimits limits;
  private final CompileBudget budget;
  private int calls;

  public RenderBudget(JinjaLimits limits) {
    this.limits = limits;
    budget = new CompileBudget(new CompileLimits(limits.steps(), 1, Long.MAX_VALUE));
  }

  public void chargeStep() {
    spend(1);
  }

  /** Charges {@code n} items before they are made. */
  public void chargeItems(long n) {
    spend(n);
  }

  /** Charges a text of {@code n} characters before it is made. */
  public void chargeText(long n) {
    chargeAppend(0, n);
  }

  /** Charges {@code more} characters before they are appended to a text of {@code length}. */
  public void chargeAppend(long length, long more) {
    if (length + more > limits.textChars()) {
      throw new ChatTemplateException(
          "it makes a text of "
              + (length + more)
              + " characters; the limit is "
              + limits.textChars());
    }
    spend(1 + more / CHARS_PER_STEP);
  }

  /** Charges one full read of a value. */
  public void chargeRead(Object value) {
    spend(
        switch (value) {
          case PyString text -> text.length() / CHARS_PER_STEP;
          case Markup markup -> markup.text().length() / CHARS_PER_STEP;
          case List<?> list -> list.size() / CHARS_PER_STEP;
          case Map<?, ?> map -> map.size() / CHARS_PER_STEP;
          default -> 0;
        });
  }

  /**
   * Charges a search for a text of {@code part} characters in one of {@code whole}: at worst their
   * product.
   */
  public void chargeSearch(long whole, long part) {
    spend(
        1
            + whole / CHARS_PER_STEP
            + whole * Math.max(0, part - CHARS_PER_STEP) / COMPARISONS_PER_STEP);
  }

  public void enterCall() {
    if (++calls > limits.calls()) {
      throw new ChatTemplateException(
          "macros call each other more than " + limits.calls() + " deep");
    }
  }

  public void leaveCall() {
    calls--;
  }

  private void spend(long n) {
    try {
      budget.chargeSteps(n);
    } catch (GrammarLimitException _) {
      throw new ChatTemplateException("it does not end within " + limits.steps() + " steps");
    }
  }
}
