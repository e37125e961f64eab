package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WheelAllocationTest {
  @Test
  void decodingAllocatesNothingForATokenButItsText() {
    Detokenizer silent =
        new Detokenizer() {
          @Override
          public String push(int token) {
            return "";
          }

          @Override
          public String flush() {
            return "";
          }
        };
    WheelSettings settings = WheelHarness.SETTINGS.withPages(256).withSequences(8);
    var processor =
        PipeProcessor.local(WheelHarness.MODEL.cut(256, 0, 2), WheelHarness.MODEL.end());
    BatchLoop wheel =
        new BatchLoop(
            settings,
            List.of(processor),
            WheelHarness.vocabulary(),
            shown -> silent,
            System::nanoTime,
            null);
    for (int i = 0; i < 8; i++) {
      GenerationRequest request =
          GenerationRequest.of(WheelHarness.prompt(new Random(i), 30), WheelHarness.warm(i), 480)
              .ignoringEnd();
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
