/** The jobs of the chaos test: what is asked of them, what is known of them, and whether it agrees. */
@NullMarked
package dev.millrace.store.postgres.chaos.job;

import org.jspecify.annotations.NullMarked;
