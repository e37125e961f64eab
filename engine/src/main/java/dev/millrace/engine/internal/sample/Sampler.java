package dev.millrace.engine.internal.sample;

import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.error.EngineException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next token of a sequence. The steps, in this order, are those of llama.cpp, preceded
 * by the bias:
 *
 * <ol>
 *   <li>logit bias; then the repetition, presence and frequency penalties over the window; then the
 *       mask;
 *   <li>at temperature 0 the best token, of equal scores the lowest id;
 *   <li>else top-k, top-p over what top-k left, min-p, all on the distribution before temperature;
 *       then temperature, and a draw with the random number of (seed, position).
 * </ol>
 *
 * <p>The choice depends on the arguments and the settings alone: a sequence that is preempted and
 * resumed, or computed elsewhere, gets the same tokens. NaN counts as minus infinity, plus infinity
 * as the largest float. A choice allocates nothing. For one thread at a time.
 */
public final class Sampler {
  private final Sampling sampling;
  private final SamplerBuffers buffers;
  private final int[] biasTokens;
  private final float[] biases;
  private final double logMinP;
  private final @Nullable LogprobsBuffer logprobs;

  public Sampler(Sampling sampling, int vocabulary) {
    this(sampling, new SamplerBuffers(vocabulary));
  }

  /** A sampler with buffers that it shares with other samplers of the same thread. */
  public Sampler(Sampling sampling, SamplerBuffers buffers) {
    this.sampling = sampling;
    this.buffers = buffers;
    biasTokens =
        sampling.logitBias().keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
    biases = new float[biasTokens.length];
    for (int i = 0; i < biases.length; i++) {
      biases[i] = Objects.requireNonNull(sampling.logitBias().get(biasTokens[i]));
      if (biasTokens[i] >= buffers.vocabulary) {
        throw new EngineException(
            "sampling: logitBias names token %d; the vocabulary has tokens 0 to %d"
                .formatted(biasTokens[i], buffers.vocabulary - 1));
      }
    }
    logMinP = sampling.minP() == 0 ? Double.NEGATIVE_INFINITY : StrictMath.log(sampling.minP());
    logprobs = sampling.logprobs() < 0 ? null : new LogprobsBuffer(sampling.logprobs());
  }

  /**
   * Chooses the next token.
   *
   * @param logits the model's scores, one per token, starting at {@code offset}; not changed
   * @param mask bit {@code t & 63} of word {@code t >>> 6} allows token t; null allows all
   * @param history the tokens that penalties look at, {@code historyLength} of them
   * @param position of the chosen token in the sequence, counted from the start of the sequence
   */
  public int choose(
      float[] logits,
      int offset,
      int vocabulary,
      long @Nullable [] mask,
      int[] history,
      int historyLength,
      int position) {
    if (vocabulary != buffers.vocabulary) {
      throw new EngineException(
          "sampler made for %d tokens was given %d logits"
              .formatted(buffers.vocabulary, vocabulary));
    }
    boolean plain =
        biasTokens.length == 0 && mask == null && !(sampling.hasPenalties() && historyLength > 0);
    int token;
    if (plain && sampling.isGreedy()) {
      token = best(logits, offset, vocabulary);
      if (token < 0) {
        throw noNumbers();
      }
    } else {
      System.arraycopy(logits, offset, buffers.scores, 0, vocabulary);
      adjust(mask, history, historyLength);
      token = pick(position);
      if (token < 0) {
        if (best(logits, offset, vocabulary) < 0) {
          throw noNumbers();
        }
        token = firstAllowed(mask);
      }
    }
    if (logprobs != null) {
      logprobs.fill(logits, offset, vocabulary, token);
    }
    return token;
  }

  /**
   * The log probabilities of the last choice; each choice overwrites them.
   *
   * @throws IllegalStateException if the settings ask for none
   */
  public Logprobs logprobs() {
    if (logprobs == null) {
      throw new IllegalStateException("sampling: logprobs is -1, so none are computed");
    }
    return logprobs;
  }

  private void adjust(long @Nullable [] mask, int[] history, int historyLength) {
    float[] scores = buffers.scores;
    for (int i = 0; i < biasTokens.length; i++) {
      scores[biasTokens[i]] += biases[i];
    }
    if (sampling.hasPenalties()) {
      penalise(history, historyLength);
    }
    if (mask != null) {
      deny(mask);
    }
  }

  private void deny(long[] mask) {
    float[] scores = buffers.scores;
    for (int word = 0; word << 6 < scores.length; word++) {
      int start = word << 6;
      int end = Math.min(scores.length, start + 64);
      if (mask[word] == 0) {
        Arrays.fill(scores, start, end, Float.NEGATIVE_INFINITY);
        continue;
      }
      for (long denied = ~mask[word]; denied != 0; denied &= denied - 1) {
        int token = start + Long.numberOfTrailingZeros(denied);
        if (token < end) {
          scores[token] = Float.NEGATIVE_INFINITY;
        }
      }
    }
  }

  /** As in llama.cpp: each token once, with its number of occurrences in the window. */
  private void penalise(int[] history, int length) {
    int window = sampling.penaltyWindow();
    int from = window < 0 ? 0 : Math.max(0, length - window);
    int[] counts = buffers.counts;
    for (int i = from; i < length; i++) {
      counts[history[i]]++;
    }
    for (int i = from; i < length; i++) {
      int token = history[i];
      int count = counts[token];
      if (count > 0) {
        double score = buffers.scores[token];
        score =
            score <= 0
                ? score * sampling.repetitionPenalty()
                : score / sampling.repetitionPenalty();
        score -= count * sampling.frequencyPenalty() + sampling.presencePenalty();
        buffers.scores[token] = (float) score;
        counts[token] = 0;
      }
    }
  }

  /** Returns -1 if no score is a number above minus infinity. */
  private int pick(int position) {
    int best = best(buffers.scores, 0, buffers.vocabulary);
    if (best < 0) {
      return -1;
    }
    float max = buffers.scores[best];
    if (max == Float.POSITIVE_INFINITY) {
      max = clampInfinite();
    }
    if (sampling.isGreedy()) {
      return best;
    }
    double roll = SeededRandom.at(sampling.seed(), position);
    if (sampling.topK() > 0 && sampling.topK() < buffers.vocabulary) {
      buffers.ranking.best(buffers.scores, 0, buffers.vocabulary, sampling.topK());
      return drawRanked(roll);
    }
    long floor =
        sampling.topP() < 1
            ? buffers.nucleus.cutoff(buffers, max, sampling.topP())
            : Long.MIN_VALUE;
    return drawAny(roll, max, floor);
  }

  /** Draws from the ranked tokens, best first. */
  private int drawRanked(double roll) {
    TokenRanking ranking = buffers.ranking;
    double[] weights = buffers.weights;
    double max = TokenRanking.score(ranking.get(0));
    int size = ranking.size();
    if (sampling.topP() < 1) {
      size = nucleusOfRanked(max, size);
    }
    double total = 0;
    int kept = 0;
    while (kept < size && (kept == 0 || TokenRanking.score(ranking.get(kept)) - max >= logMinP)) {
      weights[kept] =
          DoubleExp.of((TokenRanking.score(ranking.get(kept)) - max) / sampling.temperature());
      total += weights[kept++];
    }
    double target = roll * total;
    double sum = 0;
    for (int i = 0; i < kept; i++) {
      sum += weights[i];
      if (sum > target) {
        return TokenRanking.token(ranking.get(i));
      }
    }
    return TokenRanking.token(ranking.get(0));
  }

  private int nucleusOfRanked(double max, int size) {
    double total = 0;
    for (int i = 0; i < size; i++) {
      total += DoubleExp.of(TokenRanking.score(buffers.ranking.get(i)) - max);
    }
    double reached = 0;
    int kept = 0;
    while (kept < size && reached < sampling.topP() * total) {
      reached += DoubleExp.of(TokenRanking.score(buffers.ranking.get(kept++)) - max);
    }
    return kept;
  }

  /** Draws from all tokens at or above the floor, in the order of their ids. */
  private int drawAny(double roll, float max, long floor) {
    double total = 0;
    for (int block = 0; block < buffers.blocks.length; block++) {
      double sum = weighBlock(block, max, floor);
      buffers.blocks[block] = sum;
      total += sum;
    }
    double target = roll * total;
    double sum = 0;
    int block = 0;
    while (block < buffers.blocks.length - 1 && !(sum + buffers.blocks[block] > target)) {
      sum += buffers.blocks[block++];
    }
    int last = -1;
    int end = Math.min((block + 1) * SamplerBuffers.BLOCK, buffers.vocabulary);
    for (int i = block * SamplerBuffers.BLOCK; i < end; i++) {
      if (buffers.weights[i] > 0) {
        last = i;
        sum += buffers.weights[i];
        if (sum > target) {
          break;
        }
      }
    }
    // rounding can leave the sum of a block's weights below the target: take its last candidate
    return last >= 0 ? last : best(buffers.scores, 0, buffers.vocabulary);
  }

  private double weighBlock(int block, float max, long floor) {
    double factor = 1 / sampling.temperature();
    // of the tokens with the floor's score, the floor token is the last that is kept
    float floorScore =
        floor == Long.MIN_VALUE ? Float.NEGATIVE_INFINITY : TokenRanking.score(floor);
    int floorToken = floor == Long.MIN_VALUE ? Integer.MAX_VALUE : TokenRanking.token(floor);
    int end = Math.min((block + 1) * SamplerBuffers.BLOCK, buffers.vocabulary);
    double sum = 0;
    for (int i = block * SamplerBuffers.BLOCK; i < end; i++) {
      float score = buffers.scores[i];
      double below = (double) score - max;
      boolean kept =
          below >= logMinP && (score > floorScore || (score == floorScore && i <= floorToken));
      double weight = kept ? DoubleExp.of(below * factor) : 0;
      buffers.weights[i] = weight;
      sum += weight;
    }
    return sum;
  }

  private float clampInfinite() {
    for (int i = 0; i < buffers.vocabulary; i++) {
      buffers.scores[i] =
          buffers.scores[i] == Float.POSITIVE_INFINITY ? Float.MAX_VALUE : buffers.scores[i];
    }
    return Float.MAX_VALUE;
  }

  private static EngineException noNumbers() {
    return new EngineException(
        "the model computed no valid logits: its weights are damaged, or are not what the file"
            + " says");
  }

  /**
   * The token with the highest score, the lowest id of equal ones; -1 if none is above minus
   * infinity.
   */
  static int best(float[] scores, int offset, int length) {
    float best = Float.NEGATIVE_INFINITY;
    int token = -1;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
      float a = scores[offset + i];
      float b = scores[offset + i + 1];
      float c = scores[offset + i + 2];
      float d = scores[offset + i + 3];
      if (a > best | b > best | c > best | d > best) {
        for (int j = i; j < i + 4; j++) {
          if (scores[offset + j] > best) {
            best = scores[offset + j];
            token = j;
          }
        }
      }
    }
    for (; i < length; i++) {
      if (scores[offset + i] > best) {
        best = scores[offset + i];
        token = i;
      }
    }
    return token;
  }

  /** The lowest token that the mask allows, for when no score is a number. */
  private int firstAllowed(long @Nullable [] mask) {
    if (mask == null) {
      return 0;
    }
    for (int word = 0; word << 6 < buffers.vocabulary; word++) {
      int token = (word << 6) + Long.numberOfTrailingZeros(mask[word]);
      if (mask[word] != 0 && token < buffers.vocabulary) {
        return token;
      }
    }
    throw new EngineException(
        "sampling: the mask allows no token; a constraint must allow at least the end");
  }
}
