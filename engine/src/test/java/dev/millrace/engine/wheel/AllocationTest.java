package dev.millrace.engine.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.pipe.PipeProcessor;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AllocationTest {
  @Test
  void decodingAllocatesNothingForATokenButItsText() {
    Speller silent =
        new Speller() {
          @Override
          public String push(int token) {
            return "";
          }

          @Override
          public String flush() {
            return "";
          }
        };
    WheelSettings settings = Mill.SETTINGS.withPages(256).withSequences(8);
    var processor = PipeProcessor.local(Mill.MODEL.cut(256, 0, 2), Mill.MODEL.end());
    Wheels wheel =
        new Wheels(
            settings, List.of(processor), Mill.vocabulary(), () -> silent, System::nanoTime, null);
    for (int i = 0; i < 8; i++) {
      Request request = Request.of(Mill.prompt(new Random(i), 30), Mill.warm(i), 480).ignoringEnd();
      wheel.submit(request, (id, text, logprobs) -> {});
    }
    for (int i = 0; i < 150; i++) {
      wheel.turn();
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 200; i++) {
      wheel.turn();
    }
    long perToken = (threads.getCurrentThreadAllocatedBytes() - before) / (200 * 8);
    // what is left is the growth of token arrays and page tables by doubling
    assertThat(perToken).isLessThan(32);
  }
}
