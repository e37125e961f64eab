package dev.millrace.client;

import dev.millrace.core.job.JobState;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to search for; null or empty: any.
 *
 * @param type of a stage
 * @param model that a stage names
 * @param key the name of the API key that submitted them
 * @param text part of the name, an id, a tag or the start of the first prompt, in any case
 * @param from created at this time or later
 * @param until created at this time or earlier
 * @param atGate whether to find only jobs that wait for an approval
 * @param oldestFirst whether the oldest come first; else the newest
 */
public record SearchFilter(
    Set<JobState> states,
    @Nullable String type,
    @Nullable String tag,
    @Nullable String model,
    @Nullable String key,
    @Nullable String text,
    @Nullable Instant from,
    @Nullable Instant until,
    boolean atGate,
    boolean oldestFirst) {

  public SearchFilter {
    states = Set.copyOf(states);
  }

  public static SearchFilter all() {
    return new SearchFilter(Set.of(), null, null, null, null, null, null, null, false, false);
  }

  public SearchFilter in(JobState... wanted) {
    return new SearchFilter(
        Set.of(wanted), type, tag, model, key, text, from, until, atGate, oldestFirst);
  }

  public SearchFilter ofType(@Nullable String value) {
    return new SearchFilter(states, value, tag, model, key, text, from, until, atGate, oldestFirst);
  }

  public SearchFilter tagged(@Nullable String value) {
    return new SearchFilter(
        states, type, value, model, key, text, from, until, atGate, oldestFirst);
  }

  public SearchFilter ofModel(@Nullable String value) {
    return new SearchFilter(states, type, tag, value, key, text, from, until, atGate, oldestFirst);
  }

  public SearchFilter submittedBy(@Nullable String value) {
    return new SearchFilter(
        states, type, tag, model, value, text, from, until, atGate, oldestFirst);
  }

  public SearchFilter containing(@Nullable String value) {
    return new SearchFilter(states, type, tag, model, key, value, from, until, atGate, oldestFirst);
  }

  public SearchFilter between(@Nullable Instant first, @Nullable Instant last) {
    return new SearchFilter(states, type, tag, model, key, text, first, last, atGate, oldestFirst);
  }

  public SearchFilter waitingForApproval(boolean only) {
    return new SearchFilter(states, type, tag, model, key, text, from, until, only, oldestFirst);
  }

  public SearchFilter oldestFirst(boolean value) {
    return new SearchFilter(states, type, tag, model, key, text, from, until, atGate, value);
  }
}
