package dev.millrace.server.infer.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.token.Vocabulary;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.parameters.OutputGrammar;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConstraintCacheTest {
  private static final Vocabulary BYTES =
      new Vocabulary() {
        @Override
        public int size() {
          return 257;
        }

        @Override
        public byte[] bytes(int token) {
          return token == 256 ? new byte[0] : new byte[] {(byte) token};
        }

        @Override
        public boolean isControl(int token) {
          return isEnd(token);
        }

        @Override
        public boolean isEnd(int token) {
          return token == 256;
        }
      };

  private final AtomicInteger compilations = new AtomicInteger();

  private Constraint compile(Grammar grammar, Set<Integer> shown) {
    compilations.incrementAndGet();
    return Constraint.compile(grammar, BYTES);
  }

  private static OutputGrammar gbnf(String text) {
    return new OutputGrammar(
        new OutputConstraint(OutputConstraint.Kind.GRAMMAR, text, false), null, Set.of());
  }

  @Test
  void whatIsKeptIsBoundedByItsBytes() throws InterruptedException {
    long one = Constraint.compile(Grammar.gbnf("root ::= [a-z]{2000}"), BYTES).bytes();
    assertThat(one).isGreaterThan(100_000);
    ConstraintCache cache = new ConstraintCache(this::compile, 5 * one);
    for (int i = 0; i < 40; i++) {
      cache.compile(gbnf("root ::= [a-z]{%d}".formatted(2000 + i)));
    }
    assertThat(cache.size()).isBetween(3, 5);
    for (int i = 0; i < 100; i++) {
      cache.compile(gbnf("root ::= \"%d\"".formatted(i)));
    }
    assertThat(cache.size()).as("small ones").isGreaterThan(50);
    int before = compilations.get();
    cache.compile(gbnf("root ::= \"99\""));
    assertThat(compilations).as("the last used one is kept").hasValue(before);
  }

  @Test
  void aCompilationThatNobodyWaitsForEnds() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    ConstraintCache cache =
        new ConstraintCache(
            (grammar, _) -> {
              begun.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return Constraint.compile(grammar, BYTES);
            });
    Thread client = Thread.ofVirtual().start(() -> fail(cache, "root ::= \"x\""));
    begun.await();
    client.interrupt();
    client.join();
    interrupted.await();
    assertThat(cache.size()).isZero();
  }

  private static void fail(ConstraintCache cache, String grammar) {
    assertThatThrownBy(() -> cache.compile(gbnf(grammar))).isInstanceOf(InterruptedException.class);
  }

  @Test
  void oneThatWaitsKeepsTheCompilationOfAnotherThatLeft() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ConstraintCache cache =
        new ConstraintCache(
            (grammar, shown) -> {
              begun.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return compile(grammar, shown);
            });
    Thread first = Thread.ofVirtual().start(() -> fail(cache, "root ::= \"x\""));
    begun.await();
    CompletableFuture<Constraint> second = new CompletableFuture<>();
    Thread other =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    second.complete(cache.compile(gbnf("root ::= \"x\"")));
                  } catch (InterruptedException e) {
                    second.completeExceptionally(e);
                  }
                });
    while (other.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    first.interrupt();
    first.join();
    goOn.countDown();
    assertThat(second.get().start().mayEnd()).isFalse();
    assertThat(compilations).hasValue(1);
  }

  @Test
  void aCostlyGrammarIsRefusedByNameAndBlocksNoOther() throws InterruptedException {
    ConstraintCache cache = new ConstraintCache(this::compile);
    OutputGrammar costly = gbnf("root ::= [ab]* \"a\" [ab]{20}");
    assertThatThrownBy(() -> cache.compile(costly))
        .isInstanceOf(TaskRefused.class)
        .hasMessageStartingWith("grammar: ")
        .hasMessageContaining("more than");
    assertThat(cache.compile(gbnf("root ::= \"x\"")).start().mayEnd()).isFalse();
    assertThat(cache.size()).as("the refusal is kept, too").isEqualTo(2);
  }
}
