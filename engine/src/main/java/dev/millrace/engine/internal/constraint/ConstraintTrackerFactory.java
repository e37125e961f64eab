package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.token.Vocabulary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the constraint trackers of requests; it keeps the masks of a few thought tags. */
public final class ConstraintTrackerFactory {
  private static final int MOST_KEPT = 8;

  private final Vocabulary vocabulary;
  private final Map<Key, ThoughtMasks> kept = // guarded by itself
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, ThoughtMasks> eldest) {
          return size() > MOST_KEPT;
        }
      };

  private record Key(String open, String close, Set<Integer> shown) {}

  public ConstraintTrackerFactory(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /**
   * The tracker of a request before its first token; null if it has no constraint. For any thread.
   *
   * @throws EngineException if the constraint uses control tokens that the request does not show
   */
  public @Nullable ConstraintTracker create(GenerationRequest request) {
    Constraint constraint = request.constraint();
    if (constraint == null) {
      return null;
    }
    check(constraint, request.shownTokens());
    TokenTexts texts = new TokenTexts(vocabulary, request.shownTokens());
    ConstraintStart start = request.start();
    if (!start.triggers().isEmpty()) {
      return new TriggeredConstraint(constraint, start, texts);
    }
    ThoughtTags tags = start.thoughts();
    return new AnswerConstraint(constraint, tags, tags == null ? null : masks(tags, texts), texts);
  }

  private static void check(Constraint constraint, Set<Integer> shown) {
    for (int token : constraint.shownTokens()) {
      if (!shown.contains(token)) {
        throw new EngineException(
            "request: its constraint uses control token %d, which is not among its shown tokens"
                .formatted(token));
      }
    }
  }

  private ThoughtMasks masks(ThoughtTags tags, TokenTexts texts) {
    Key key = new Key(tags.open(), tags.close(), texts.shown());
    synchronized (kept) {
      return kept.computeIfAbsent(key, any -> new ThoughtMasks(tags, texts));
    }
  }
}
